import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { folderPage, folderQuery, tracksOfFolder } from '../../api/folders.ts';
import type { FolderOut, TrackOut } from '../../api/routes.ts';
import { trackPage } from '../../api/library.ts';
import { useStartScan } from '../../api/jobs.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { detailOf, isAbsent } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { AvailabilityIcon } from '../../music/availability-icon.tsx';
import { markItems } from '../../music/item-marks.ts';
import { folderItems, trackItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { oneTrack } from '../../music/track-drag.ts';
import { useActions } from '../../music/use-actions.ts';
import { usePlayList } from '../../music/use-play-list.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatClock } from '../../ui/format.ts';
import { IconFolder, IconFolderOffline, IconForward, IconPlay, IconShuffle, IconTrack } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { VirtualGrid } from '../../ui/lists/virtual-grid.tsx';
import { AbsentPage } from '../../music/absent-page.tsx';
import { EmptyLibrary } from './home/empty-library.tsx';
import '../../i18n/page-texts.ts';
import long from './long-rows.module.css';
import styles from './folders.module.css';

const ROW_HEIGHT = 48;
const NO_FOLDER = '\0';

/** The music folders as they are on disk: folders first, then the tracks directly in the open folder. */
export function FoldersPage() {
  const { path } = useSearch({ from: '/app/library/folders' });
  const top = useQuery(folderQuery(undefined));
  const onlyFolder = top.data?.total === 1 ? top.data.items[0]?.path : undefined;
  // a single music folder is opened at once
  const shownPath = path ?? onlyFolder;
  if (path === undefined && top.isPending) return <LoadingFolder />;
  return <Folder key={shownPath ?? NO_FOLDER} path={shownPath} isTop={path === undefined || path === onlyFolder} />;
}

function Folder({ path, isTop }: { path: string | undefined; isTop: boolean }) {
  const { t } = useTranslation();
  const play = usePlayList();
  const actions = useActions();
  const head = useQuery(folderQuery(path));
  const reread = useStartScan({ reread: true, ...(path !== undefined && { path }) });
  const isOwner = useSession()?.user.is_superuser === true;
  const folders = usePagedList<FolderOut>((page) => folderPage(path, page));
  const ownTracks = tracksOfFolder(path ?? ':');
  const tracks = usePagedList<TrackOut>((page) => trackPage(ownTracks, page));
  const parents = head.data?.parents ?? [];
  const currentFolder = parents.at(-1);
  const folderCount = head.data?.total ?? 0;
  const trackCount = path === undefined ? 0 : (head.data?.track_count ?? 0);
  const { show: showFolders } = folders;
  const { show: showTracks } = tracks;
  const onRange = useCallback(
    (firstRow: number, lastRow: number) => {
      if (firstRow < folderCount) showFolders(firstRow, Math.min(lastRow, folderCount - 1));
      if (lastRow >= folderCount) showTracks(Math.max(0, firstRow - folderCount), lastRow - folderCount);
    },
    [showFolders, showTracks, folderCount],
  );

  if (isAbsent(head.error)) return <AbsentPage kind="folder" />;
  if (head.error) return <ErrorState isPage detail={detailOf(head.error)} onRetry={() => void head.refetch()} />;
  if (!head.data) return <LoadingFolder />;
  const isEmpty = folderCount + trackCount === 0;
  if (isEmpty && isTop && !head.data.is_offline)
    return (
      <Page title={t('place.folders')}>
        <EmptyLibrary />
      </Page>
    );
  const items = currentFolder && folderItems(currentFolder);
  return (
    <Page
      title={isTop || !currentFolder ? t('place.folders') : currentFolder.name}
      tools={
        items &&
        !isEmpty && (
          <>
            <Button variant="primary" icon={IconPlay} onClick={() => void actions.run('play', items)}>
              {t('player.play')}
            </Button>
            <Button icon={IconShuffle} onClick={() => void actions.run('shuffle', items)}>
              {t('player.shuffle')}
            </Button>
            {isOwner && (
              <Button onClick={() => reread.mutate()} disabled={reread.isPending || head.data.is_offline}>
                {t('scan.reread')}
              </Button>
            )}
            <MoreButton items={items} name={currentFolder?.name ?? ''} />
          </>
        )
      }
    >
      {reread.error && (
        <p role="alert" className={styles.offline}>
          {detailOf(reread.error)}
        </p>
      )}
      {!isTop && (
        <nav className={styles.trail} aria-label={t('folders.trail')}>
          <Link to="/folders">{t('place.folders')}</Link>
          {parents.slice(0, -1).map((parent) => (
            <Link key={parent.path} to="/folders" search={{ path: parent.path }}>
              {parent.name}
            </Link>
          ))}
        </nav>
      )}
      {head.data.is_offline && (
        <p className={styles.offline} role="status">
          <IconFolderOffline size={18} aria-hidden />
          {t(head.data.is_copied ? 'folders.offlineCopied' : 'folders.offline')}
        </p>
      )}
      {isEmpty ? (
        <p className={styles.empty}>{t('folders.empty')}</p>
      ) : (
        <VirtualGrid
          label={currentFolder?.name ?? t('place.folders')}
          count={folderCount + trackCount}
          cellWidth={4_000}
          cellHeight={() => ROW_HEIGHT}
          onRange={onRange}
          isLoaded={(index) =>
            (index < folderCount ? folders.item(index) : tracks.item(index - folderCount)) !== undefined
          }
          renderCell={(index, tabIndex) => {
            if (index < folderCount) return <FolderRow folder={folders.item(index)} tabIndex={tabIndex} />;
            const trackIndex = index - folderCount;
            return (
              <TrackRow
                track={tracks.item(trackIndex)}
                tabIndex={tabIndex}
                onPlay={() => play({ name: currentFolder?.name ?? '', query: ownTracks }, trackIndex)}
              />
            );
          }}
        />
      )}
    </Page>
  );
}

function LoadingFolder() {
  const { t } = useTranslation();
  return (
    <Page title={t('place.folders')}>
      <Skeleton height={`${ROW_HEIGHT}px`} />
    </Page>
  );
}

function FolderRow({ folder, tabIndex }: { folder: FolderOut | undefined; tabIndex: 0 | -1 }) {
  const { t } = useTranslation();
  if (!folder) return <Skeleton height="20px" />;
  const items = folderItems(folder);
  return (
    <div className={long.row} {...markItems(items)}>
      <Link to="/folders" search={{ path: folder.path }} className={long.line} tabIndex={tabIndex} data-stop>
        {folder.is_offline ? <IconFolderOffline size={20} aria-hidden /> : <IconFolder size={20} aria-hidden />}
        <span className={long.name}>{folder.name}</span>
        {folder.is_offline && <span className={long.figure}>{t('availability.offline')}</span>}
      </Link>
      <MoreButton items={items} name={folder.name} tabIndex={-1} />
      <IconForward size={16} aria-hidden />
    </div>
  );
}

interface TrackRowProps {
  track: TrackOut | undefined;
  tabIndex: 0 | -1;
  onPlay: () => void;
}

function TrackRow({ track, tabIndex, onPlay }: TrackRowProps) {
  const { t } = useTranslation();
  if (!track) return <Skeleton height="20px" />;
  const items = trackItems(oneTrack(track));
  return (
    <div className={long.row} draggable {...markItems(items)}>
      <button
        type="button"
        className={long.line}
        tabIndex={tabIndex}
        data-stop
        onClick={onPlay}
        aria-label={t('folders.playTrack', { title: track.title })}
      >
        <IconTrack size={20} aria-hidden />
        <span className={long.name}>{track.title}</span>
        <span className={styles.artist}>{track.artist_name}</span>
      </button>
      <AvailabilityIcon availability={track.availability} />
      <span className={long.figure}>{track.duration_ms === null ? '' : formatClock(track.duration_ms)}</span>
      <MoreButton items={items} name={track.title} tabIndex={-1} />
    </div>
  );
}
