// The frame around every page: side bar or bottom bar, the scroller, the queue, the player. Features that must not
// import each other are combined here.
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { getSession, isLeftOnPurpose, onSessionChange } from '../../api/session.ts';
import { takeAllBack } from '../../ui/controls/undoable.ts';
import { detailOf } from '../../api/problem.ts';
import { trackDrop } from '../../music/track-drag.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { useMediaQuery } from '@mantine/hooks';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DropZone } from '../../features/import/drop-zone.tsx';
import { MiniPlayer } from '../../features/playback/mini-player.tsx';
import { PlayerBar } from '../../features/playback/player-bar.tsx';
import { QueuePanel } from '../../features/playback/queue-panel.tsx';
import { VIEW_TITLES, type SideView } from '../../features/playback/side-views.tsx';
import { useScanProgress } from '../../api/jobs.ts';
import { useWasAskedToAdd } from '../../music/add-music.ts';
import { usePrompt } from '../../music/prompts.ts';
import { ScrollerContext } from '../../ui/lists/scroller.ts';
import { BottomBar } from './bottom-bar.tsx';
import { ItemMenu } from './item-menu.tsx';
import { keepTyped } from '../../ui/controls/early-keys.ts';
import { usePlayingTitle } from '../../ui/page.tsx';
import { DetailsContext, useOpenDetails } from '../../ui/use-details.ts';
import { useItemKeys } from './use-item-keys.ts';
import { closeBeside, useBeside } from '../../player/station-or-episode.ts';
import { optionalPart } from '../../api/optional-part.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { DetailsSlot } from './details-slot.tsx';
import { ConnectionNotice, ServerProblem } from './lasting-notices.tsx';
import { SideBar } from './side-bar.tsx';
import { useLiveUpdates } from './use-live-updates.tsx';
import { openSettings } from '../../ui/open-window.ts';
import { WindowPartsContext } from '../../features/search/window-parts.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { useDesktopMessages } from './use-desktop-messages.ts';
import { useFindingCovers } from './use-finding-covers.ts';
import { useSoundingTitle } from './use-sounding-title.ts';
import { useDevice } from '../use-device.ts';
import { useSpeaker } from './use-jukebox.ts';
import styles from './shell.module.css';

// Parts that are loaded on first use.
const ScanStrip = optionalPart(async () => (await import('../../features/activity/scan-strip.tsx')).ScanStrip);
const AddMusic = lazy(async () => ({ default: (await import('../../features/import/add-music.tsx')).AddMusic }));
const PlayerSheet = lazy(async () => ({
  default: (await import('../../features/playback/player-sheet.tsx')).PlayerSheet,
}));
const FullScreen = lazy(async () => ({
  default: (await import('../../features/playback/full-screen.tsx')).FullScreen,
}));
const BesideBar = lazy(async () => ({
  default: (await import('../../features/playback/station-or-episode-bar.tsx')).BesideBar,
}));
const PlaybackSheet = lazy(async () => ({
  default: (await import('../../features/playback/playback-menu.tsx')).PlaybackSheet,
}));
const SearchPalette = lazy(async () => ({
  default: (await import('../../features/search/search-palette.tsx')).SearchPalette,
}));
const PromptDialogs = lazy(async () => ({
  default: (await import('../../music/name-and-duplicate-dialogs.tsx')).PromptDialogs,
}));
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }));
const SideBarDialog = lazy(async () => ({ default: (await import('./side-bar-dialog.tsx')).SideBarDialog }));

type Overlay = 'search' | 'shortcuts' | 'customize' | 'player' | 'playback' | null;

export function Shell() {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 767px)', innerWidth < 768, { getInitialValueInEffect: false });
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [overlay, setOverlay] = useState<Overlay>(null);
  const [searchText, setWanted] = useState('');
  const [side, setSide] = useState<SideView | null>(null);
  const toggleSide = (view: SideView) => setSide((shownView) => (shownView === view ? null : view));
  const isConnected = useLiveUpdates();
  const openDetails = useOpenDetails();
  const queueDrop = useQueueDrop();
  const actionOfKey = useItemKeys(openDetails);
  usePlayingTitle(useSoundingTitle());
  useFindingCovers();
  useSignedOut();
  useSpeaker();
  useDevice();
  const search = (text: string) => {
    keepTyped();
    setWanted(text);
    setOverlay('search');
  };
  const isRestarting = useDesktopMessages(search);
  const show = {
    onSearch: () => search(''),
    onShortcuts: () => setOverlay('shortcuts'),
    onCustomize: () => setOverlay('customize'),
  };
  useShortcuts({
    ...show,
    actionOfKey,
    onSettings: () => openSettings(),
    onQueue: () => toggleSide('queue'),
    onFullScreen: () => setOverlay('player'),
  });
  const parts = useMemo(
    () => ({
      onQueue: () => (narrow ? setOverlay('player') : setSide('queue')),
      onPlayer: () => setOverlay('player'),
      onShortcuts: () => setOverlay('shortcuts'),
      onCustomize: () => setOverlay('customize'),
      onDevices: () => setOverlay('playback'),
    }),
    [narrow],
  );
  const isBeside = useBeside((beside) => beside !== null);
  const close = () => setOverlay(null);
  const isScanning = useScanProgress() !== null;
  const isAdding = useWasAskedToAdd();
  const question = usePrompt();
  const scan = isScanning && (
    <Suspense>
      <ScanStrip />
    </Suspense>
  );
  const besideBar = (
    <Suspense>
      <BesideBar narrow={narrow} />
    </Suspense>
  );

  return (
    <DetailsContext value={openDetails}>
      <WindowPartsContext value={parts}>
        <div className={styles.shell} data-queue={(side !== null && !narrow) || undefined}>
          <a href="#main" className={styles.skip}>
            {t('nav.skip')}
          </a>
          {!narrow && <SideBar {...show}>{scan}</SideBar>}
          <main id="main" ref={setScroller} className={styles.main} tabIndex={-1} data-scroll-restoration-id="main">
            <ScrollerContext value={scroller}>{scroller && <Outlet />}</ScrollerContext>
            {isRestarting || !isConnected ? <ConnectionNotice isRestarting={isRestarting} /> : <ServerProblem />}
          </main>
          {side && !narrow && (
            <aside className={styles.queue} {...queueDrop} aria-label={t(VIEW_TITLES[side])}>
              <QueuePanel view={side} onClose={() => setSide(null)} />
            </aside>
          )}
          <footer className={styles.foot} data-bottom>
            {narrow ? (
              <>
                <div className={styles.strip}>{scan}</div>
                {isBeside ? besideBar : <MiniPlayer onOpen={() => setOverlay('player')} />}
                <BottomBar {...show} />
              </>
            ) : isBeside ? (
              besideBar
            ) : (
              <PlayerBar side={side} onSide={toggleSide} onOpen={() => setOverlay('player')} />
            )}
          </footer>
          <Suspense>
            {overlay === 'search' && <SearchPalette opened initialText={searchText} onClose={close} />}
            {overlay === 'shortcuts' && <ShortcutsDialog opened onClose={close} />}
            {overlay === 'playback' && <PlaybackSheet onClose={close} />}
            {overlay === 'customize' && <SideBarDialog onClose={close} />}
            {overlay === 'player' &&
              (narrow ? <PlayerSheet opened onClose={close} /> : <FullScreen opened onClose={close} />)}
            {isAdding && <AddMusic />}
            {question && <PromptDialogs />}
          </Suspense>
          <DetailsSlot />
          <ItemMenu />
          <DropZone />
        </div>
      </WindowPartsContext>
    </DetailsContext>
  );
}

/** Adds tracks dropped onto the queue at its end. */
function useQueueDrop() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  return trackDrop(
    (group) =>
      void group.load().then(
        (tracks) => {
          player.addLast(tracks);
          tell(t('queue.dropped', { count: tracks.length }));
        },
        (error: unknown) => tell(detailOf(error)),
      ),
  );
}

/**
 * When the session ends (sign-out, or an expired token), opens the sign-in page, which returns to the current page.
 * Pending actions are cancelled.
 */
function useSignedOut(): void {
  const router = useRouter();
  useEffect(
    () =>
      onSessionChange(() => {
        if (getSession()) return;
        takeAllBack();
        closeBeside();
        void router.navigate({
          to: '/sign-in',
          search: { back: router.state.location.href, ...(isLeftOnPurpose() ? {} : { ended: true }) },
        });
      }),
    [router],
  );
}
