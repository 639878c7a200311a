// Edits the metadata of a track by hand; identification does not change edited fields. Server errors are displayed at
// their fields.
import { Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { TrackFieldName } from '../../../server/library/wire.ts';
import type { TrackOut } from '../../api/routes.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { useSetMetadata } from '../../api/tracks.ts';
import { FIELD_NAMES, isFieldName, viewOf } from '../../music/track-fields.ts';
import { formText } from '../../ui/controls/form-text.ts';
import { FormButtons } from '../../ui/controls/form-buttons.tsx';
import { toTrackPut, type EditValues } from './edit-values.ts';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

const NAME_FIELDS = ['title', 'artist', 'artists', 'album', 'album_artist', 'genre'] as const;
const NUMBER_FIELDS = FIELD_NAMES.filter((name) => viewOf(name).input === 'number');
const TEXT_FIELDS = FIELD_NAMES.filter((name) => viewOf(name).input !== 'number');

export function EditForm({ track, onDone }: { track: TrackOut; onDone: () => void }) {
  const { t } = useTranslation();
  const save = useSetMetadata(track.id);
  const initialValues: EditValues = {
    title: track.title,
    artist: track.artist_name ?? '',
    artists: track.artists.map(({ name }) => name).join('; '),
    album: track.album_title ?? '',
    album_artist: track.album_artist_name ?? '',
    genre: track.genre ?? '',
    ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, String(track[name] ?? '')])) as Record<
      TrackFieldName,
      string
    >),
  };
  const problem = save.error instanceof ApiError ? save.error : null;
  const messageOf = (name: keyof EditValues) =>
    problem?.fields.find(({ field }) => field === name || field.startsWith(`${name}.`))?.message;
  const input = (name: keyof EditValues) => {
    const commonProps = { name, label: t(`field.${name}`), defaultValue: initialValues[name], error: messageOf(name) };
    const kind = isFieldName(name) ? viewOf(name).input : 'line';
    if (kind === 'lines') return <Textarea key={name} {...commonProps} autosize maxRows={8} />;
    return (
      <TextInput
        key={name}
        {...commonProps}
        {...(name === 'artists' && { description: t('details.artistsHelp') })}
        {...(name === 'title' && { 'data-autofocus': true, autoFocus: true })}
        {...(kind === 'number' && { inputMode: 'numeric' as const })}
      />
    );
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typedValues = Object.fromEntries(
      [...NAME_FIELDS, ...FIELD_NAMES].map((name) => [name, formText(form, name)]),
    ) as EditValues;
    save.mutate(toTrackPut(typedValues, initialValues), { onSuccess: onDone });
  };

  return (
    <form
      className={styles.form}
      onSubmit={onSubmit}
      aria-label={t('details.editLabel', { title: track.title })}
      noValidate
    >
      {NAME_FIELDS.map(input)}
      <div className={styles.numbers}>{NUMBER_FIELDS.map(input)}</div>
      {TEXT_FIELDS.map(input)}
      {save.error && (!problem || problem.fields.length === 0) && (
        <p role="alert" className={styles.error}>
          {detailOf(save.error)}
        </p>
      )}
      <FormButtons label={t('details.save')} disabled={save.isPending} onCancel={onDone} />
    </form>
  );
}
