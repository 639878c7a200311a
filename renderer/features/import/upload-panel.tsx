// The files that are being added, with progress and result, until dismissed. The panel is between the page and the
// player and covers neither.
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { memo, useCallback, useEffect, useRef, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import {
  IconClose,
  IconDone,
  IconDown,
  IconOffline,
  IconProblem,
  IconUp,
  IconUpload,
  IconWaiting,
  type Icon,
} from '../../ui/theme/icons.ts';
import { LIBRARY } from '../../api/library.ts';
import type { TrackOut } from '../../api/routes.ts';
import { Button, ButtonLink, IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import styles from './import.module.css';
import { cancelUploads, clearUploads, hasOpenUploads, retryUpload, useUploads, type Upload } from './upload-queue.ts';

const SYMBOLS: Record<Upload['status'], Icon> = {
  waiting: IconWaiting,
  sending: IconUpload,
  offline: IconOffline,
  added: IconDone,
  existing: IconDone,
  failed: IconProblem,
  cancelled: IconClose,
};
/** More albums than this are reached through the list of all albums. */
const MAX_ALBUM_LINKS = 5;

interface UploadPanelProps {
  heading: RefObject<HTMLHeadingElement | null>;
  isCollapsed: boolean;
  onCollapse: (isCollapsed: boolean) => void;
}

export function UploadPanel({ heading, isCollapsed, onCollapse }: UploadPanelProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { uploads, leftOutCount } = useUploads();
  const count = (status: Upload['status']) => uploads.filter((upload) => upload.status === status).length;
  const [addedCount, existingCount, failedCount, cancelledCount] = [
    count('added'),
    count('existing'),
    count('failed'),
    count('cancelled'),
  ];
  const doneCount = addedCount + existingCount + failedCount + cancelledCount;
  const isOpen = hasOpenUploads();
  useEffect(() => {
    if (addedCount > 0 && !isOpen) void queries.invalidateQueries({ queryKey: [LIBRARY] });
  }, [queries, addedCount, isOpen]);

  const parts = [
    addedCount > 0 && t('adding.added', { count: addedCount, number: formatNumber(addedCount) }),
    existingCount > 0 && t('adding.existing', { count: existingCount, number: formatNumber(existingCount) }),
    failedCount > 0 && t('adding.failed', { count: failedCount, number: formatNumber(failedCount) }),
    cancelledCount > 0 && t('adding.cancelled', { count: cancelledCount, number: formatNumber(cancelledCount) }),
  ];
  const summary = parts.filter(Boolean).join(', ');
  const progress = uploads.reduce(
    (sum, { status, progress: sent }) => sum + (status === 'sending' ? sent : 0),
    doneCount,
  );
  return (
    <section className={styles.panel} aria-label={t('nav.addMusic')} data-bottom>
      <header className={styles.head}>
        <h2 ref={heading} tabIndex={-1}>
          {isOpen
            ? t('adding.doneOf', { done: formatNumber(doneCount), total: formatNumber(uploads.length) })
            : summary}
        </h2>
        {isOpen && <Button onClick={cancelUploads}>{t('adding.cancel')}</Button>}
        <IconButton
          label={t(isCollapsed ? 'adding.showFiles' : 'adding.hideFiles')}
          aria-expanded={!isCollapsed}
          icon={isCollapsed ? IconUp : IconDown}
          iconSize={18}
          onClick={() => onCollapse(!isCollapsed)}
        />
        {!isOpen && (
          <IconButton
            label={t('adding.close')}
            icon={IconClose}
            iconSize={18}
            onClick={() => {
              clearUploads();
              document.getElementById('main')?.focus();
            }}
          />
        )}
      </header>
      {isOpen && isCollapsed && (
        <div className={styles.total}>
          <ProgressBar done={progress} total={uploads.length} label={t('nav.addMusic')} />
        </div>
      )}
      <p role="status" className="visually-hidden">
        {!isOpen && summary}
      </p>
      {!isOpen && <Destinations uploads={uploads} />}
      {!isCollapsed && <Rows uploads={uploads} isOpen={isOpen} heading={heading} />}
      {!isCollapsed && leftOutCount > 0 && (
        <p className={styles.leftOut}>
          {t('adding.leftOut', { count: leftOutCount, number: formatNumber(leftOutCount) })}
        </p>
      )}
    </section>
  );
}

/** Links to the albums of what was added; without new tracks, of what the library had already. */
function Destinations({ uploads }: { uploads: readonly Upload[] }) {
  const { t } = useTranslation();
  const tracksOf = (status: Upload['status']) =>
    uploads.flatMap(({ status: ownStatus, track }) => (ownStatus === status && track ? [track] : []));
  const addedTracks = tracksOf('added');
  const tracks = addedTracks.length > 0 ? addedTracks : tracksOf('existing');
  if (tracks.length === 0) return null;
  const titles = new Map<number, string>();
  for (const { album_id: id, album_title: title } of tracks) if (id !== null && title !== null) titles.set(id, title);
  const hasLooseTracks = tracks.some(({ album_id: id, album_title: title }) => id === null || title === null);
  const albums = [...titles];
  return (
    <nav className={styles.destinations} aria-label={t('adding.goTo')}>
      {albums.slice(0, MAX_ALBUM_LINKS).map(([albumId, title]) => (
        <ButtonLink
          key={albumId}
          to="/albums/$albumId"
          params={{ albumId }}
          variant={albums.length === 1 ? 'primary' : 'quiet'}
          className={styles.destination}
        >
          {albums.length === 1 ? t('adding.goToAlbum') : title}
        </ButtonLink>
      ))}
      {albums.length > MAX_ALBUM_LINKS && (
        <ButtonLink to="/albums" search={{ sort: 'created_at' }} className={styles.destination}>
          {t('adding.allAlbums', { count: albums.length, number: formatNumber(albums.length) })}
        </ButtonLink>
      )}
      {hasLooseTracks && (
        <ButtonLink to="/tracks" search={{ sort: 'created_at' }} className={styles.destination}>
          {t('adding.goToTracks')}
        </ButtonLink>
      )}
    </nav>
  );
}

/** When all uploads have ended, those that failed come first. */
function Rows({
  uploads,
  isOpen,
  heading,
}: {
  uploads: readonly Upload[];
  isOpen: boolean;
  heading: RefObject<HTMLHeadingElement | null>;
}) {
  const { t } = useTranslation();
  const list = useRef<HTMLUListElement>(null);
  const isFailed = ({ status }: Upload) => status === 'failed';
  const shownUploads = isOpen
    ? uploads
    : uploads.toSorted((a, b) => Number(isFailed(b)) - Number(isFailed(a)) || a.id - b.id);
  const sendingId = uploads.find(({ status }) => status === 'sending')?.id;
  // follows the file that is being sent, unless somebody is looking at the list
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    if (!isOpen) element.scrollTop = 0;
    else if (sendingId !== undefined && !element.matches(':hover, :focus-within'))
      element.querySelector<HTMLElement>(`[data-upload="${sendingId}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [sendingId, isOpen]);
  // the button disappears, and focus would be lost with it
  const onRetry = useCallback(
    (id: number) => {
      retryUpload(id);
      heading.current?.focus();
    },
    [heading],
  );
  return (
    <ul ref={list} className={styles.rows} aria-label={t('adding.files')} tabIndex={0}>
      {shownUploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onRetry={onRetry} />
      ))}
    </ul>
  );
}

/** Memoized, because a list may have hundreds of rows of which two change. */
const UploadRow = memo(function UploadRow({ upload, onRetry }: { upload: Upload; onRetry: (id: number) => void }) {
  const { t } = useTranslation();
  const { id, name, status, track, error, progress } = upload;
  const Symbol = SYMBOLS[status];
  return (
    <li className={styles.row} data-status={status} data-upload={id}>
      <Symbol size={18} aria-hidden />
      <div>
        <p className={styles.name}>{name}</p>
        {status === 'sending' ? (
          <ProgressBar done={progress} total={1} label={t('adding.sending', { name })} />
        ) : (
          <p className={styles.note}>
            {error ?? t(`adding.status.${status}`)}
            {status === 'existing' && track && (
              <>
                {': '}
                <TrackLink track={track} />
              </>
            )}
          </p>
        )}
      </div>
      {status === 'failed' && (
        <Button aria-label={t('adding.retryFile', { name })} onClick={() => onRetry(id)}>
          {t('adding.retry')}
        </Button>
      )}
    </li>
  );
});

const TrackLink = ({ track: { id, title, album_id: albumId } }: { track: TrackOut }) =>
  albumId === null ? (
    <Link to="/tracks" search={{ details: id }}>
      {title}
    </Link>
  ) : (
    <Link to="/albums/$albumId" params={{ albumId }}>
      {title}
    </Link>
  );
