// What an account may do, as an administrator sets it.
import { NumberInput, Switch } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserOut } from '../../../server/auth/wire.ts';
import { detailOf } from '../../api/problem.ts';
import { useChangeUser, type RightName } from '../../api/users.ts';
import { Button } from '../../ui/button.tsx';
import { formText } from '../../ui/form-text.ts';
import styles from './settings.module.css';

/** In their order here; one that is missing does not compile. */
const RIGHTS: Record<RightName, true> = {
  can_edit: true,
  can_upload: true,
  can_download: true,
  can_share: true,
  can_jukebox: true,
};
const RIGHT_NAMES = Object.keys(RIGHTS) as RightName[];
const GIGABYTE = 1_000_000_000;
const LEAST_KBPS = 32;
const MOST_KBPS = 10_000;

/** Empty is no limit. */
function limitOf(form: HTMLFormElement, name: string, unit = 1): number | null {
  const text = formText(form, name);
  return text === '' ? null : Math.round(Number(text) * unit);
}

export function AccountRights({ person, onDone }: { person: UserOut; onDone: () => void }) {
  const { t } = useTranslation();
  const change = useChangeUser();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    const rights = Object.fromEntries(RIGHT_NAMES.map((name) => [name, given.has(name)]));
    const limits = {
      max_bitrate_kbps: limitOf(form, 'max_bitrate_kbps'),
      quota_bytes: limitOf(form, 'quota', GIGABYTE),
    };
    change.mutate({ id: person.id, ...rights, ...limits }, { onSuccess: onDone });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label={t('settings.rights.of', { name: person.username })}>
      {RIGHT_NAMES.map((name) => (
        <Switch
          key={name}
          name={name}
          defaultChecked={person[name]}
          label={t(`settings.rights.${name}.label`)}
          description={t(`settings.rights.${name}.help`)}
        />
      ))}
      <NumberInput
        name="max_bitrate_kbps"
        label={t('settings.rights.bitrate')}
        description={t('settings.rights.noLimit')}
        defaultValue={person.max_bitrate_kbps ?? ''}
        min={LEAST_KBPS}
        max={MOST_KBPS}
        allowDecimal={false}
        suffix=" kbps"
      />
      <NumberInput
        name="quota"
        label={t('settings.rights.quota')}
        description={t('settings.rights.noLimit')}
        defaultValue={person.quota_bytes === null ? '' : person.quota_bytes / GIGABYTE}
        min={0}
        suffix=" GB"
      />
      {change.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(change.error)}
        </p>
      )}
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={change.isPending}>
          {t('settings.rights.save')}
        </Button>
        <Button variant="plain" onClick={onDone}>
          {t('settings.cancel')}
        </Button>
      </div>
    </form>
  );
}
