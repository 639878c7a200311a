// The side panel with queue, lyrics or chapters.
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { IconClose } from '../../ui/theme/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { countRest } from '../../player/list-rest.ts';
import { useCurrentTrack, usePlayer } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { ChaptersView, LyricsView, VIEW_TITLES, type SideView } from './side-views.tsx';
import { QueueActions } from './queue-actions.tsx';
import styles from './queue.module.css';

/** Loaded separately, because the list needs the drag-and-drop library. */
const QueueList = lazy(async () => ({ default: (await import('./queue-list.tsx')).QueueList }));

const RadioStrip = lazy(async () => ({ default: (await import('./radio-strip.tsx')).RadioStrip }));

const CLOSE_TITLES = {
  queue: 'queue.close',
  lyrics: 'playback.closeLyrics',
  chapters: 'playback.closeChapters',
} as const satisfies Record<SideView, string>;

export function QueuePanel({ view = 'queue', onClose }: { view?: SideView; onClose: () => void }) {
  const { t } = useTranslation();
  const count = usePlayer((state) => state.queue.length + countRest(state.rest));
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <div className={styles.panel} style={accent}>
      <div className={styles.head}>
        <h2>{t(VIEW_TITLES[view])}</h2>
        <p>{view === 'queue' && count > 0 && t('track.count', { count })}</p>
        {view === 'queue' && <QueueActions />}
        <IconButton label={t(CLOSE_TITLES[view])} icon={IconClose} iconSize={18} onClick={onClose} />
      </div>
      <ViewOf view={view} />
    </div>
  );
}

export function ViewOf({ view }: { view: SideView }) {
  if (view === 'lyrics') return <LyricsView />;
  return view === 'chapters' ? <ChaptersView /> : <QueueOrHint />;
}

function QueueOrHint() {
  const { t } = useTranslation();
  const isEmpty = usePlayer((state) => state.queue.length === 0);
  const isRadio = usePlayer((state) => state.radio !== null);
  return isEmpty ? (
    <p className={styles.empty}>{t('queue.empty')}</p>
  ) : (
    <Suspense fallback={null}>
      {isRadio && <RadioStrip />}
      <QueueList />
    </Suspense>
  );
}
