// Lyrics of the current track. With timed lines, the current one is highlighted, and a click seeks to a line.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { trackLyricsQuery } from '../../api/tracks.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import styles from './lyrics.module.css';
import { lineAt } from './lyrics-line.ts';

export function LyricsView() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const track = useCurrentTrack();
  const { data, isPending } = useQuery({ ...trackLyricsQuery(track?.id ?? 0), enabled: track?.has_lyrics === true });
  const lines = track?.has_lyrics ? (data?.lines ?? []) : [];
  const synced = data?.synced === true;
  const at = usePlayer((state) => (synced ? lineAt(lines, state.positionMs) : -1));
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const line = scroller.current?.querySelector<HTMLElement>(`[data-line="${at}"]`);
    if (!line || !scroller.current) return;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scroller.current.scrollTo({
      top: line.offsetTop - scroller.current.clientHeight / 3,
      behavior: still ? 'instant' : 'smooth',
    });
  }, [at]);

  if (!track) return <p className={styles.none}>{t('player.nothing')}</p>;
  if (track.has_lyrics && isPending) return <div className={styles.lyrics} aria-busy />;
  if (lines.length === 0) return <p className={styles.none}>{t('playback.noLyrics')}</p>;
  return (
    <div ref={scroller} className={styles.lyrics} lang="" role="region" aria-label={t('playback.lyrics')} tabIndex={0}>
      {lines.map(({ text, start_ms }, i) =>
        synced && start_ms !== undefined ? (
          <button
            key={i}
            type="button"
            data-line={i}
            className={styles.line}
            aria-current={i === at || undefined}
            onClick={() => player.seek(start_ms)}
          >
            {text || '♪'}
          </button>
        ) : (
          <p key={i} className={styles.line}>
            {text || ' '}
          </p>
        ),
      )}
    </div>
  );
}
