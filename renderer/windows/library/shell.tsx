// The frame around every page: side bar or bottom bar, the scroller, the queue, the player. Features that must not
// import each other are combined here.
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
import { QueuePanel, type SideView } from '../../features/playback/queue-panel.tsx';
import { SearchPalette } from '../../features/search/search-palette.tsx';
import { ScrollerContext } from '../../ui/scroller.ts';
import { BottomBar } from './bottom-bar.tsx';
import { ItemMenu } from './item-menu.tsx';
import { PromptDialogs } from '../../music/prompt-dialogs.tsx';
import { DetailsContext, useOpenDetails } from '../../ui/use-details.ts';
import { useItemKeys } from './use-item-keys.ts';
import { useQueueDrop } from './use-queue-drop.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { DetailsSlot } from './details-slot.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SideBar } from './side-bar.tsx';
import { useLiveUpdates } from './use-live-updates.tsx';
import { openSettings } from '../../ui/open-window.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useDesktopMessages } from './use-desktop-messages.ts';
import { useSignedOut } from './use-signed-out.ts';
import { useSpeaker } from './use-speaker.ts';
import styles from './shell.module.css';

type Overlay = 'search' | 'shortcuts' | 'player' | null;

export function Shell() {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [overlay, setOverlay] = useState<Overlay>(null);
  const [wanted, setWanted] = useState('');
  const [side, setSide] = useState<SideView | null>(null);
  const toggleSide = (view: SideView) => setSide((shown) => (shown === view ? null : view));
  const connected = useLiveUpdates();
  const openDetails = useOpenDetails();
  const queueDrop = useQueueDrop();
  const actionOfKey = useItemKeys(openDetails);
  useSignedOut();
  useSpeaker();
  const search = (text: string) => {
    setWanted(text);
    setOverlay('search');
  };
  const isRestarting = useDesktopMessages(search);
  const show = { onSearch: () => search(''), onShortcuts: () => setOverlay('shortcuts') };
  useShortcuts({
    ...show,
    actionOfKey,
    onSettings: openSettings,
    onQueue: () => toggleSide('queue'),
  });
  const close = () => setOverlay(null);

  return (
    <DetailsContext value={openDetails}>
      <div className={styles.shell} data-queue={(side !== null && !narrow) || undefined}>
        <a href="#main" className={styles.skip}>
          {t('nav.skip')}
        </a>
        {!narrow && (
          <SideBar {...show}>
            <ScanStrip />
          </SideBar>
        )}
        <main id="main" ref={setScroller} className={styles.main} tabIndex={-1} data-scroll-restoration-id="main">
          {(isRestarting || !connected) && <ConnectionNotice isRestarting={isRestarting} />}
          <ScrollerContext value={scroller}>{scroller && <Outlet />}</ScrollerContext>
        </main>
        {side && !narrow && (
          <aside
            className={styles.queue}
            {...queueDrop}
            aria-label={t(side === 'queue' ? 'queue.queue' : 'playback.lyrics')}
          >
            <QueuePanel view={side} onClose={() => setSide(null)} />
          </aside>
        )}
        <footer className={styles.foot}>
          {narrow ? (
            <>
              <div className={styles.strip}>
                <ScanStrip />
              </div>
              <MiniPlayer onOpen={() => setOverlay('player')} />
              <BottomBar {...show} />
            </>
          ) : (
            <PlayerBar side={side} onSide={toggleSide} />
          )}
        </footer>
        <SearchPalette opened={overlay === 'search'} initialText={wanted} onClose={close} />
        <ShortcutsDialog opened={overlay === 'shortcuts'} onClose={close} />
        {narrow && <PlayerSheet opened={overlay === 'player'} onClose={close} />}
        <UploadPanel />
        <DetailsSlot />
        <ItemMenu />
        <PromptDialogs />
        <DropZone />
      </div>
    </DetailsContext>
  );
}
