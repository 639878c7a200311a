// Possible replacements of a missing track, to choose from.
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { replacementsQuery, useRelocate } from '../../api/missing.ts';
import type { ReplacementOut, TrackOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { trackCover } from '../../api/urls.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatClock, formatFormat } from '../../ui/format.ts';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { Skeleton } from '../../ui/states.tsx';
import { fileLocation } from './file-location.ts';
import styles from './missing.module.css';

interface FindDialogProps {
  track: TrackOut | null;
  onClose: () => void;
  onFound: (track: TrackOut) => void;
}

export function FindDialog({ track, onClose, onFound }: FindDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={track !== null}
      onClose={onClose}
      size={640}
      title={t('missing.findTitle')}
      closeButtonProps={{ 'aria-label': t('missing.close') }}
    >
      {track && <Candidates track={track} onClose={onClose} onFound={onFound} />}
    </Modal>
  );
}

function Candidates({ track, onClose, onFound }: Omit<FindDialogProps, 'track'> & { track: TrackOut }) {
  const { t } = useTranslation();
  const relocate = useRelocate();
  // a relocated track has no candidates
  const candidates = useQuery({ ...replacementsQuery(track.id), enabled: relocate.isIdle || relocate.isError });
  const choose = (replacement: TrackOut) =>
    relocate.mutate(
      { id: track.id, otherId: replacement.id },
      {
        onSuccess: (result) => {
          onFound(result);
          onClose();
        },
      },
    );

  function body() {
    const error = relocate.error ?? (candidates.data ? null : candidates.error);
    if (error)
      return (
        <p role="alert" className={styles.error}>
          {detailOf(error)}
        </p>
      );
    if (!candidates.data) return <Skeleton height="64px" radius="var(--r-m)" />;
    if (candidates.data.length === 0) return <p className={styles.none}>{t('missing.none')}</p>;
    return (
      <ul className={styles.candidates} aria-label={t('missing.candidates')} onKeyDown={moveAmongRows}>
        {candidates.data.map((candidate) => (
          <Candidate key={candidate.track.id} candidate={candidate} disabled={relocate.isPending} onChoose={choose} />
        ))}
      </ul>
    );
  }

  // The dialog itself is focused first, so that the Enter key that opened it does not select a candidate.
  return (
    <div className={styles.find} tabIndex={-1} data-autofocus>
      <Sought track={track} />
      {body()}
    </div>
  );
}

function Sought({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const place = fileLocation(track);
  return (
    <div className={styles.sought}>
      <p className={styles.title}>{track.title}</p>
      <p className={styles.quiet}>
        {[track.artist_name ?? t('library.unknownArtist'), track.album_title, factsOf(track)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p className={styles.path}>
        {place ? t('missing.was', { path: place.folder + place.name }) : t('missing.wasInStorage')}
      </p>
    </div>
  );
}

function Candidate({
  candidate: { track, why },
  disabled,
  onChoose,
}: {
  candidate: ReplacementOut;
  disabled: boolean;
  onChoose: (track: TrackOut) => void;
}) {
  const { t } = useTranslation();
  const place = fileLocation(track);
  return (
    <li className={styles.candidate}>
      <Cover src={trackCover(track, 64)} alt="" className={styles.cover} />
      <div className={styles.about}>
        <p className={styles.title}>{track.title}</p>
        <p className={styles.quiet}>
          {[track.artist_name ?? t('library.unknownArtist'), track.album_title].filter(Boolean).join(' · ')}
        </p>
        <p className={styles.path}>{place ? place.folder + place.name : t('missing.inStorage')}</p>
        <p className={styles.signs}>
          <span className={styles.why}>{t(`missing.why.${why}`)}</span>
          {factsOf(track)}
        </p>
      </div>
      <Button
        data-stop
        disabled={disabled}
        onClick={() => onChoose(track)}
        aria-label={t('missing.thisLabel', { title: track.title, path: place?.name ?? '' })}
      >
        {t('missing.this')}
      </Button>
    </li>
  );
}

const factsOf = ({ format, duration_ms: ms }: TrackOut): string =>
  [format && formatFormat(format), ms !== null && formatClock(ms)].filter(Boolean).join(' · ');
