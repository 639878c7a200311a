// Lyrics of the current track. With timed lines, the current line is highlighted, and a click seeks to a line; with
// timed words, the sung words are highlighted too.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { lyricsLookupQuery } from '../../api/lyrics.ts';
import type { LyricsOut } from '../../api/routes.ts';
import { ApiError } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { trackLyricsQuery } from '../../api/tracks.ts';
import type { QueueTrack } from '../../player/player.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import '../../i18n/page-texts.ts';
import styles from './lyrics.module.css';
import { leadingLine, lineAt } from './lyrics-line.ts';

const LyricsDialog = lazy(async () => ({ default: (await import('./lyrics-dialog.tsx')).LyricsDialog }));
const ServiceQuestion = lazy(async () => ({
  default: (await import('../../music/service-question.tsx')).ServiceQuestion,
}));

export function LyricsView() {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  /** The lyrics in the editor, which stays open when the next track begins. */
  const [edited, setEdited] = useState<Edited | null>(null);
  return (
    <>
      {track ? (
        <LyricsOf key={track.id} track={track} onEdit={setEdited} />
      ) : (
        <p className={styles.none}>{t('player.nothing')}</p>
      )}
      {edited && (
        <Suspense fallback={null}>
          <LyricsDialog {...edited} onClose={() => setEdited(null)} />
        </Suspense>
      )}
    </>
  );
}

interface Edited {
  track: QueueTrack;
  lyrics: LyricsOut | undefined;
}

function LyricsOf({ track, onEdit }: { track: QueueTrack; onEdit: (edited: Edited) => void }) {
  const { t } = useTranslation();
  const user = useSession()?.user;
  const storedLyrics = useQuery({ ...trackLyricsQuery(track.id), enabled: track.has_lyrics });
  const lookup = useQuery({
    ...lyricsLookupQuery(track.id),
    enabled: !track.has_lyrics || storedLyrics.isError,
    staleTime: Infinity,
    retry: false,
  });
  // the query keeps an earlier response after the lyrics were deleted
  const isDeleted = storedLyrics.error instanceof ApiError && storedLyrics.error.status === 404;
  const lyrics = (isDeleted ? undefined : storedLyrics.data) ?? lookup.data?.lyrics;
  const mayEdit = user?.is_superuser === true || user?.can_edit === true;
  const tools = mayEdit && (
    <Button variant="plain" onClick={() => onEdit({ track, lyrics: lyrics ?? undefined })}>
      {t('lyrics.open')}
    </Button>
  );

  if (lyrics?.is_instrumental) return <None tools={tools}>{t('lyrics.instrumental')}</None>;
  if (lyrics) return <Lines lyrics={lyrics} tools={tools} />;
  if (storedLyrics.isLoading || lookup.isLoading) return <div className={styles.lyrics} aria-busy />;
  const outcome = lookup.data?.outcome;
  return (
    <None tools={tools}>
      {t(outcome === 'unavailable' ? 'lyrics.unavailable' : 'lyrics.noLyrics')}
      {outcome === 'off' && user?.is_superuser && (
        <Suspense fallback={null}>
          <ServiceQuestion
            setting="lyrics_enabled"
            question={t('lyrics.ask')}
            help={t('lyrics.askHelp')}
            yes={t('lyrics.yes')}
            no={t('lyrics.no')}
            onAnswer={() => void lookup.refetch()}
          />
        </Suspense>
      )}
    </None>
  );
}

function None({ tools, children }: { tools: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.none}>
      {children}
      {tools}
    </div>
  );
}

function Lines({ lyrics: { lines, synced, source }, tools }: { lyrics: LyricsOut; tools: ReactNode }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const currentLine = leadingLine(
    lines,
    usePlayer((state) => (synced ? lineAt(lines, state.positionMs) : -1)),
  );
  const words = lines[currentLine]?.words;
  const word = usePlayer((state) => (words ? lineAt(words, state.positionMs) : -1));
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const line = scroller.current?.querySelector<HTMLElement>(`[data-line="${currentLine}"]`);
    if (!line || !scroller.current) return;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scroller.current.scrollTo({
      top: line.offsetTop - scroller.current.clientHeight / 3,
      behavior: still ? 'instant' : 'smooth',
    });
  }, [currentLine]);

  return (
    <div ref={scroller} className={styles.lyrics} lang="" role="region" aria-label={t('playback.lyrics')} tabIndex={0}>
      {lines.map(({ text, start_ms, background, words: parts }, i) =>
        synced && start_ms !== undefined ? (
          <button
            key={i}
            type="button"
            data-line={i}
            className={styles.line}
            data-background={background}
            aria-current={
              i === currentLine || (background === true && leadingLine(lines, i) === currentLine) || undefined
            }
            onClick={() => player.seek(start_ms)}
          >
            {i === currentLine && parts
              ? parts.map((part, index) => (
                  <span key={index} data-ahead={index > word || undefined}>
                    {part.text}
                  </span>
                ))
              : text || '♪'}
          </button>
        ) : (
          <p key={i} className={styles.line} data-background={background}>
            {text || ' '}
          </p>
        ),
      )}
      <footer className={styles.foot}>
        {source === 'lrclib' && <span>{t('lyrics.from')}</span>}
        {tools}
      </footer>
    </div>
  );
}
