// Creates a smart playlist, or edits its rules, with a live preview.
import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAscending, IconDescending } from '../../ui/theme/icons.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import {
  playlistQuery,
  previewQuery,
  smartFieldsQuery,
  useCreatePlaylist,
  useUpdatePlaylist,
  type Rules,
} from '../../api/playlists.ts';
import { detailOf, isAbsent } from '../../api/problem.ts';
import { trackCover } from '../../api/urls.ts';
import { AbsentPage } from '../../music/absent-page.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { RuleGroup } from './rule-group.tsx';
import { emptyForm, fromRules, labelOfRule, toRules, type RuleForm } from './rules.ts';
import '../../i18n/page-texts.ts';
import styles from './rules.module.css';

const TYPING_PAUSE_MS = 250;

export const NewSmartPage = () => <RuleEditor playlist={null} />;

export function RulesPage() {
  const { t } = useTranslation();
  const { playlistId } = useParams({ from: '/app/playlists/$playlistId/rules' });
  const { data, error, refetch } = useQuery(playlistQuery(playlistId));
  if (isAbsent(error)) return <AbsentPage kind="playlist" />;
  if (error) return <ErrorState isPage detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (data) return <RuleEditor key={data.id} playlist={data} />;
  return (
    <Page title={t('rules.edit')}>
      <Skeleton height="320px" />
    </Page>
  );
}

function RuleEditor({ playlist }: { playlist: PlaylistOut | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const fields = useQuery(smartFieldsQuery());
  const create = useCreatePlaylist();
  const update = useUpdatePlaylist();
  const [form, setForm] = useState<RuleForm>(() => (playlist?.rules ? fromRules(playlist.rules) : emptyForm()));
  const [name, setName] = useState(playlist?.name ?? '');
  const rules = toRules(form);
  const failure = create.error ?? update.error;

  const save = async () => {
    if (!rules || name.trim() === '') return;
    const body = { name: name.trim(), rules };
    const savedPlaylist = playlist
      ? await update.mutateAsync({ id: playlist.id, ...body })
      : await create.mutateAsync(body);
    void navigate({ to: '/playlists/$playlistId', params: { playlistId: savedPlaylist.id } });
  };

  if (fields.error) return <ErrorState isPage detail={detailOf(fields.error)} onRetry={() => void fields.refetch()} />;
  return (
    <Page title={t(playlist ? 'rules.edit' : 'playlist.newSmart')}>
      <div className={styles.page}>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            void save().catch(() => {}); // the error is displayed beside the button
          }}
        >
          <TextInput
            label={t('playlist.name')}
            value={name}
            maxLength={200}
            required
            withAsterisk={false}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {fields.data ? (
            <>
              <RuleGroup group={form} fields={fields.data} onChange={(group) => setForm({ ...form, ...group })} />
              <OrderFields form={form} sorts={fields.data.sorts} onChange={setForm} />
            </>
          ) : (
            <Skeleton height="160px" />
          )}
          <div className={styles.actions}>
            <Button
              type="submit"
              variant="primary"
              disabled={!rules || name.trim() === '' || create.isPending || update.isPending}
            >
              {t('playlist.save')}
            </Button>
            <ButtonLink
              {...(playlist
                ? { to: '/playlists/$playlistId', params: { playlistId: playlist.id } }
                : { to: '/playlists' })}
              variant="plain"
            >
              {t('playlist.cancel')}
            </ButtonLink>
            {failure && (
              <span role="alert" className={styles.error}>
                {detailOf(failure)}
              </span>
            )}
          </div>
        </form>
        <Preview rules={rules} />
      </div>
    </Page>
  );
}

function OrderFields({
  form,
  sorts,
  onChange,
}: {
  form: RuleForm;
  sorts: readonly string[];
  onChange: (form: RuleForm) => void;
}) {
  const { t } = useTranslation();
  const { sort } = form;
  return (
    <div className={styles.order}>
      <label>
        {t('rules.sort')}{' '}
        <NativeSelect
          value={sort?.field ?? ''}
          onChange={(event) =>
            onChange({
              ...form,
              sort:
                event.currentTarget.value === ''
                  ? undefined
                  : { field: event.currentTarget.value, order: sort?.order ?? 'asc' },
            })
          }
        >
          <option value="">{t('rules.usual')}</option>
          {sorts.map((field) => (
            <option key={field} value={field}>
              {t(labelOfRule(field))}
            </option>
          ))}
        </NativeSelect>
      </label>
      {sort && sort.field !== 'random' && (
        <IconButton
          label={t(sort.order === 'asc' ? 'list.ascending' : 'list.descending')}
          icon={sort.order === 'asc' ? IconAscending : IconDescending}
          iconSize={18}
          onClick={() => onChange({ ...form, sort: { ...sort, order: sort.order === 'asc' ? 'desc' : 'asc' } })}
        />
      )}
      <label>
        {t('rules.limit')}{' '}
        <input
          className={styles.short}
          type="number"
          min={1}
          max={1_000_000}
          placeholder={t('rules.noLimit')}
          value={form.limit ?? ''}
          onChange={(event) =>
            onChange({
              ...form,
              limit: event.currentTarget.valueAsNumber > 0 ? Math.round(event.currentTarget.valueAsNumber) : undefined,
            })
          }
        />
      </label>
      <NativeSelect
        aria-label={t('rules.limitBy')}
        value={form.limitBy}
        onChange={(event) => onChange({ ...form, limitBy: event.currentTarget.value as RuleForm['limitBy'] })}
      >
        {(['tracks', 'minutes', 'megabytes'] as const).map((by) => (
          <option key={by} value={by}>
            {t(`rules.limits.${by}`)}
          </option>
        ))}
      </NativeSelect>
    </div>
  );
}

/** The number of matching tracks, and the first of them. */
function Preview({ rules }: { rules: Rules | undefined }) {
  const { t } = useTranslation();
  const [settledRules] = useDebouncedValue(rules === undefined ? '' : JSON.stringify(rules), TYPING_PAUSE_MS);
  const { data, error, isFetching } = useQuery({
    ...previewQuery(settledRules === '' ? { all: [] } : (JSON.parse(settledRules) as Rules)),
    enabled: settledRules !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <section className={styles.preview} aria-label={t('rules.preview')} aria-busy={isFetching}>
      <p className={styles.count} role="status">
        {rules === undefined
          ? t('rules.incomplete')
          : error
            ? detailOf(error)
            : data &&
              [
                t('rules.finds', { count: data.track_count, number: formatNumber(data.track_count) }),
                data.track_count > 0 && formatLength(data.duration_ms),
              ]
                .filter(Boolean)
                .join(' · ')}
      </p>
      <ol>
        {!error &&
          data?.tracks.map((track) => (
            <li key={track.id}>
              <Cover src={trackCover(track, 64)} alt="" />
              <span>
                <b>{track.title}</b>
                <span>{track.artist_name ?? t('library.unknownArtist')}</span>
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}
