// Matches an album with a release at MusicBrainz: candidates, and the chosen one side by side with the album.
import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { albumMatchesQuery, albumMatchQuery } from '../../../api/album-care.ts';
import { albumTracksQuery } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import type { AlbumMatchDetails, AlbumMatchOut, AlbumOut, TrackOut } from '../../../api/routes.ts';
import { edit } from '../../../music/editing.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { formatClock } from '../../../ui/format.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { differences, pairsOf, patchOfMatch, type FieldMatch, type MatchField } from './match-fields.ts';
import { useEditAlbum } from './use-edit-album.ts';
import '../../../i18n/page-texts.ts';
import styles from './album-match.module.css';

const close = () => edit(null);

export function AlbumMatch({ album }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const [words, setWords] = useState({ title: album.title, artist: album.artist_name ?? '' });
  const [chosenMbid, setChosen] = useState<string | null>(null);
  const candidates = useQuery(albumMatchesQuery(album.id, words));
  const onSearch = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const title = formText(event.currentTarget, 'title').trim();
    if (title !== '') setWords({ title, artist: formText(event.currentTarget, 'artist').trim() });
  };
  return (
    <Modal
      opened
      size="min(920px, 100%)"
      onClose={close}
      title={t('albumMatch.title', { title: album.title })}
      closeButtonProps={{ 'aria-label': t('edit.cancel') }}
    >
      {chosenMbid === null ? (
        <div className={styles.part}>
          <form className={styles.search} onSubmit={onSearch}>
            <TextInput
              name="title"
              label={t('field.album')}
              defaultValue={words.title}
              maxLength={300}
              data-autofocus
            />
            <TextInput name="artist" label={t('field.album_artist')} defaultValue={words.artist} maxLength={300} />
            <Button type="submit">{t('albumMatch.search')}</Button>
          </form>
          <Candidates
            candidates={candidates.data}
            isBusy={candidates.isFetching}
            error={candidates.error}
            onRetry={() => void candidates.refetch()}
            onChoose={setChosen}
          />
        </div>
      ) : (
        <Comparison album={album} mbid={chosenMbid} onBack={() => setChosen(null)} />
      )}
    </Modal>
  );
}

interface CandidatesProps {
  candidates: AlbumMatchOut[] | undefined;
  isBusy: boolean;
  error: Error | null;
  onRetry: () => void;
  onChoose: (mbid: string) => void;
}

function Candidates({ candidates, isBusy, error, onRetry, onChoose }: CandidatesProps) {
  const { t } = useTranslation();
  if (error && !isBusy) return <ErrorState detail={detailOf(error)} onRetry={onRetry} />;
  if (!candidates) return <Skeleton height="240px" />;
  if (candidates.length === 0) return <p className={styles.none}>{t('albumMatch.none')}</p>;
  return (
    <ul className={styles.candidates} aria-busy={isBusy} aria-label={t('albumMatch.candidates')}>
      {candidates.map((candidate) => (
        <li key={candidate.mbid}>
          <button type="button" onClick={() => onChoose(candidate.mbid)}>
            <span>
              {candidate.title}
              {candidate.edition !== null && <small> {candidate.edition}</small>}
            </span>
            <small>
              {[
                candidate.artists.join(', '),
                candidate.year,
                candidate.country,
                candidate.formats.join(' + '),
                [candidate.label, candidate.catalog_number].filter(Boolean).join(' '),
                t('track.count', { count: candidate.track_count }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </small>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Comparison({ album, mbid, onBack }: { album: AlbumOut; mbid: string; onBack: () => void }) {
  const { t } = useTranslation();
  const release = useQuery(albumMatchQuery(album.id, mbid));
  const tracks = useQuery(albumTracksQuery(album.id));
  const error = release.error ?? tracks.error;
  const back = <Button onClick={onBack}>{t('albumMatch.back')}</Button>;
  if (error)
    return (
      <div className={styles.part}>
        <ErrorState detail={detailOf(error)} onRetry={() => void Promise.all([release.refetch(), tracks.refetch()])} />
        <div className={styles.foot}>{back}</div>
      </div>
    );
  if (!release.data || !tracks.data) return <Skeleton height="320px" />;
  return <Choice album={album} release={release.data} tracks={tracks.data} back={back} />;
}

interface ChoiceProps {
  album: AlbumOut;
  release: AlbumMatchDetails;
  tracks: TrackOut[];
  back: ReactNode;
}

function Choice({ album, release, tracks, back }: ChoiceProps) {
  const { t } = useTranslation();
  const fields = differences(album, tracks, release);
  const [leftOut, setLeftOut] = useState<ReadonlySet<MatchField>>(new Set());
  const save = useEditAlbum(album);
  const chosenFields = new Set(fields.map(({ field }) => field).filter((field) => !leftOut.has(field)));
  const toggle = (field: MatchField) => {
    const next = new Set(leftOut);
    if (!next.delete(field)) next.add(field);
    setLeftOut(next);
  };
  return (
    <div className={styles.part}>
      {fields.length === 0 ? (
        <p className={styles.none}>{t('albumMatch.same')}</p>
      ) : (
        <>
          <Checkbox
            color="var(--ink)"
            iconColor="var(--on-ink)"
            label={t('albumMatch.all')}
            checked={chosenFields.size === fields.length}
            indeterminate={chosenFields.size > 0 && chosenFields.size < fields.length}
            onChange={({ currentTarget: { checked } }) =>
              setLeftOut(new Set(checked ? [] : fields.map(({ field }) => field)))
            }
            data-autofocus
          />
          <ul className={styles.fields}>
            {fields.map((match) => (
              <li key={match.field}>
                <Checkbox
                  color="var(--ink)"
                  iconColor="var(--on-ink)"
                  label={t(`albumMatch.field.${match.field}`)}
                  checked={chosenFields.has(match.field)}
                  onChange={() => toggle(match.field)}
                />
                <Difference match={match} />
              </li>
            ))}
          </ul>
        </>
      )}
      <TrackPairs release={release} tracks={tracks} />
      <div className={styles.foot}>
        {save.error && (
          <span role="alert" className={styles.error}>
            {detailOf(save.error)}
          </span>
        )}
        {back}
        <Button
          variant="primary"
          disabled={chosenFields.size === 0 || save.isPending}
          onClick={() => save.mutate(patchOfMatch(chosenFields, tracks, release), { onSuccess: close })}
        >
          {t('albumMatch.apply', { count: chosenFields.size })}
        </Button>
      </div>
    </div>
  );
}

function Difference({ match: { own, other, differingTracks } }: { match: FieldMatch }) {
  const { t } = useTranslation();
  if (differingTracks !== undefined) return <span>{t('track.count', { count: differingTracks })}</span>;
  return (
    <span>
      {own !== '' && <del>{own}</del>} <ins>{other}</ins>
    </span>
  );
}

/** A difference in length that is more than silence at the end. */
const SAME_LENGTH_MS = 5_000;

function TrackPairs({ release, tracks }: Pick<ChoiceProps, 'release' | 'tracks'>) {
  const { t } = useTranslation();
  const pairs = pairsOf(release, tracks);
  const pairedIds = new Set(pairs.flatMap(({ own }) => own?.id ?? []));
  const unpairedTracks = tracks.filter(({ id }) => !pairedIds.has(id));
  const hasDiscs = new Set(release.tracks.map(({ disc_number }) => disc_number)).size > 1;
  const clock = (ms: number | null | undefined): string => (ms == null ? '' : formatClock(ms));
  return (
    <table className={styles.pairs}>
      <thead>
        <tr>
          <th scope="col">{t('albumEdit.column.number')}</th>
          <th scope="col" colSpan={2}>
            {t('albumMatch.yours')}
          </th>
          <th scope="col" colSpan={2}>
            MusicBrainz
          </th>
        </tr>
      </thead>
      <tbody>
        {pairs.map(({ own, other }) => {
          const isOtherLength =
            own?.duration_ms != null &&
            other.length_ms !== null &&
            Math.abs(own.duration_ms - other.length_ms) > SAME_LENGTH_MS;
          return (
            <tr key={`${other.disc_number}.${other.track_number}`} data-missing={own === undefined || undefined}>
              <td>{hasDiscs ? `${other.disc_number}.${other.track_number}` : other.track_number}</td>
              <td>{own ? own.title : t('albumMatch.missing')}</td>
              <td>{clock(own?.duration_ms)}</td>
              <td>{other.title}</td>
              <td
                data-differs={isOtherLength || undefined}
                title={isOtherLength ? t('albumMatch.otherLength') : undefined}
              >
                {clock(other.length_ms)}
                {isOtherLength && <span className={styles.sign}> ≠</span>}
              </td>
            </tr>
          );
        })}
        {unpairedTracks.map((track) => (
          <tr key={track.id} data-missing>
            <td />
            <td>{track.title}</td>
            <td>{clock(track.duration_ms)}</td>
            <td>{t('albumMatch.notOnRelease')}</td>
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
