// The outline of the current track, in the background of the seek bar. Nothing is drawn until the outline is loaded,
// and the layout does not move when it appears.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { waveformQuery } from '../../api/analysis.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { outlineOf, FULL_HEIGHT } from './waveform-outline.ts';
import styles from './waveform.module.css';

/** `played` is the played part of the track, 0 to 1. */
export function Waveform({ played }: { played: number }) {
  const track = useCurrentTrack();
  const { data } = useQuery({ ...waveformQuery(track?.id ?? 0), enabled: track?.availability === 'available' });
  const points = data?.points;
  const outline = useMemo(() => (points ? outlineOf(points) : null), [points]);
  if (!outline) return null;
  return (
    <svg
      key={track?.id}
      className={styles.waveform}
      viewBox={`0 0 ${outline.width} ${2 * FULL_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path d={outline.path} />
      <path d={outline.path} className={styles.played} style={{ clipPath: `inset(0 ${100 - played * 100}% 0 0)` }} />
    </svg>
  );
}
