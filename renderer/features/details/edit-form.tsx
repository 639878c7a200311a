// What a person says a track is. It is not identified any more after that. Mistakes are told in the server's own words,
// at their field.
import { TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../../server/library/wire.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { useSetMetadata } from '../../api/tracks.ts';
import { Button } from '../../ui/button.tsx';
import { formText } from '../../ui/form-text.ts';
import { toTrackPut, type EditValues } from './edit-values.ts';
import styles from './details.module.css';

const WIDE = ['title', 'artist', 'artists', 'album', 'album_artist', 'genre'] as const;
const NUMBERS = ['year', 'track_number', 'disc_number'] as const;

export function EditForm({ track, onDone }: { track: TrackOut; onDone: () => void }) {
  const { t } = useTranslation();
  const save = useSetMetadata(track.id);
  const first: EditValues = {
    title: track.title,
    artist: track.artist_name ?? '',
    artists: track.artists.map(({ name }) => name).join('; '),
    album: track.album_title ?? '',
    album_artist: track.album_artist_name ?? '',
    genre: track.genre ?? '',
    year: String(track.year ?? ''),
    track_number: String(track.track_number ?? ''),
    disc_number: String(track.disc_number ?? ''),
  };
  const problem = save.error instanceof ApiError ? save.error : null;
  const messageOf = (name: keyof EditValues) =>
    problem?.fields.find(({ field }) => field === name || field.startsWith(`${name}.`))?.message;
  const input = (name: keyof EditValues) => (
    <TextInput
      key={name}
      name={name}
      label={t(`field.${name}`)}
      defaultValue={first[name]}
      error={messageOf(name)}
      {...(name === 'artists' && { description: t('details.artistsHelp') })}
      {...(name === 'title' && { 'data-autofocus': true, autoFocus: true })}
      {...(NUMBERS.some((number) => number === name) && { inputMode: 'numeric' as const })}
    />
  );

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = Object.fromEntries([...WIDE, ...NUMBERS].map((name) => [name, formText(form, name)])) as EditValues;
    save.mutate(toTrackPut(typed, first), { onSuccess: onDone });
  };

  return (
    <form
      className={styles.form}
      onSubmit={onSubmit}
      aria-label={t('details.editLabel', { title: track.title })}
      noValidate
    >
      {WIDE.map(input)}
      <div className={styles.numbers}>{NUMBERS.map(input)}</div>
      {save.error && (!problem || problem.fields.length === 0) && (
        <p role="alert" className={styles.error}>
          {detailOf(save.error)}
        </p>
      )}
      <div className={styles.actions}>
        <Button type="submit" variant="primary" disabled={save.isPending}>
          {t('details.save')}
        </Button>
        <Button onClick={onDone}>{t('details.cancel')}</Button>
      </div>
    </form>
  );
}
