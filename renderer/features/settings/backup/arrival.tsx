// Lists what a restore or an import will change in accounts, settings and folders at the next start.
import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDecideRestore } from '../../../api/backups.ts';
import type { BackupsOut } from '../../../api/routes.ts';
import { detailOf } from '../../../api/problem.ts';
import styles from '../settings.module.css';

type Restore = NonNullable<BackupsOut['restore']>;
type Arrival = NonNullable<Restore['arrival']>;

export function ArrivalNote({ restore }: { restore: Restore }) {
  const { arrival, is_import: isImport } = restore;
  if (arrival === null) return null;
  return isImport ? <PeopleOfExport people={arrival.people} /> : <Differences restore={restore} arrival={arrival} />;
}

function PeopleOfExport({ people }: Pick<Arrival, 'people'>) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('settings.arrival.importPeople')}</p>
      <ul className={styles.lines}>
        {people.map(({ username: name, change }) => (
          <li key={name}>{t(`settings.arrival.${change === 'new' ? 'importNew' : 'importSame'}`, { name })}</li>
        ))}
      </ul>
    </>
  );
}

function Differences({ restore, arrival: { people, settings, folders } }: { restore: Restore; arrival: Arrival }) {
  const { t } = useTranslation();
  const decide = useDecideRestore();
  const wordOf = (value: string | null): string =>
    value === null || value === 'true' || value === 'false' ? t(`settings.arrival.${value ?? 'unset'}`) : value;
  const valuesOf = ({ value, here }: { value: string | null; here: string | null }) => ({
    value: wordOf(value),
    here: wordOf(here),
  });
  const peopleChanges = people.flatMap(({ username: name, change, is_superuser, differences }) => {
    const suffix = is_superuser ? 'Superuser' : '';
    return [
      ...(change === 'new' || change === 'gone' ? [t(`settings.arrival.${change}${suffix}`, { name })] : []),
      ...differences.map(({ what, name: differenceName, ...values }) =>
        t(`settings.arrival.other${suffix}`, {
          name,
          what: t(`settings.arrival.differences.${what}`, { name: differenceName ?? '' }),
          ...valuesOf(values),
        }),
      ),
    ];
  });
  const lines = [
    ...peopleChanges,
    ...settings.map(({ name, ...values }) => t('settings.arrival.setting', { name, ...valuesOf(values) })),
    ...folders.map((folder) => t('settings.arrival.folder', folder)),
  ];
  if (lines.length === 0) return null;
  return (
    <>
      <p>{t('settings.arrival.lead')}</p>
      <ul className={styles.lines}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Switch
        label={t('settings.arrival.accept')}
        description={t('settings.arrival.kept')}
        checked={restore.is_accepted}
        disabled={decide.isPending}
        onChange={(event) => decide.mutate(event.currentTarget.checked)}
      />
      {decide.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(decide.error)}
        </p>
      )}
    </>
  );
}
