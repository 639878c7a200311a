// The frame around every page: side bar or bottom bar, the one scroller, the queue, the player. Rooms that do not know each other meet here.
import { useMediaQuery } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ScanStrip } from '../../features/activity/scan-strip.tsx';
import { DropZone } from '../../features/import/drop-zone.tsx';
import { UploadPanel } from '../../features/import/upload-panel.tsx';
import { MiniPlayer } from '../../features/playback/mini-player.tsx';
import { PlayerBar } from '../../features/playback/player-bar.tsx';
import { PlayerSheet } from '../../features/playback/player-sheet.tsx';
import { QueuePanel } from '../../features/playback/queue-panel.tsx';
import { SearchPalette } from '../../features/search/search-palette.tsx';
import { ScrollerContext } from '../../ui/scroller.ts';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SideBar } from './side-bar.tsx';
import { useLiveUpdates } from './use-live-updates.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useSignedOut } from './use-signed-out.ts';
import styles from './shell.module.css';

type Overlay = 'search' | 'shortcuts' | 'player' | null;

export function Shell() {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [overlay, setOverlay] = useState<Overlay>(null);
  const [queue, setQueue] = useState(false);
  const connected = useLiveUpdates();
  useSignedOut();
  const show = { onSearch: () => setOverlay('search'), onShortcuts: () => setOverlay('shortcuts') };
  useShortcuts({ ...show, onQueue: () => setQueue((open) => !open) });
  const close = () => setOverlay(null);

  return (
    <div className={styles.shell} data-queue={(queue && !narrow) || undefined}>
      <a href="#main" className={styles.skip}>{t('nav.skip')}</a>
      {!narrow && <SideBar {...show}><ScanStrip /></SideBar>}
      <main id="main" ref={setScroller} className={styles.main} tabIndex={-1} data-scroll-restoration-id="main">
        {!connected && <ConnectionNotice />}
        <ScrollerContext value={scroller}>{scroller && <Outlet />}</ScrollerContext>
      </main>
      {queue && !narrow && <aside className={styles.queue} aria-label={t('queue.queue')}><QueuePanel onClose={() => setQueue(false)} /></aside>}
      <footer className={styles.foot}>
        {narrow ? (
          <>
            <div className={styles.strip}><ScanStrip /></div>
            <MiniPlayer onOpen={() => setOverlay('player')} />
            <BottomBar {...show} />
          </>
        ) : <PlayerBar queueShown={queue} onQueue={() => setQueue(!queue)} />}
      </footer>
      <SearchPalette opened={overlay === 'search'} onClose={close} />
      <ShortcutsDialog opened={overlay === 'shortcuts'} onClose={close} />
      {narrow && <PlayerSheet opened={overlay === 'player'} onClose={close} />}
      <UploadPanel />
      <DropZone />
    </div>
  );
}
