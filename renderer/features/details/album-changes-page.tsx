// Albums of an earlier version that today's rules would group differently, and those that were regrouped, with undo.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { AlbumChangeOut, RegroupingOut } from '../../api/routes.ts';
import {
  albumChangesDueQuery,
  albumChangesQuery,
  regroupingsQuery,
  useChangeAlbums,
  useUndoRegrouping,
} from '../../api/review.ts';
import { useSession } from '../../api/session.ts';
import { albumCover } from '../../api/urls.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatDate, formatNumber } from '../../ui/format.ts';
import { IconAlbumChanges, IconUndo } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { QuestionList } from './question-list.tsx';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

export function AlbumChangesPage() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(albumChangesQuery());
  const past = useInfiniteQuery(regroupingsQuery());
  const { data: dueAt } = useQuery(albumChangesDueQuery());
  const change = useChangeAlbums();
  const undo = useUndoRegrouping();
  const { tell } = useUndoNotice();
  const canEdit = useSession()?.user.can_edit ?? false;
  const changes = list.data?.pages.flatMap((page) => page.items) ?? [];
  const regroupings = past.data?.pages.flatMap((page) => page.items) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const report = { onError: (error: Error) => tell(detailOf(error)) };
  const apply = (albums: number[] | null) =>
    change.mutate(albums, { ...report, onSuccess: () => tell(t('albumChanges.started')) });

  return (
    <Page
      title={t('place.albumChanges')}
      count={total ? formatNumber(total) : undefined}
      tools={
        canEdit &&
        total > 0 && (
          <Button variant="primary" disabled={change.isPending} onClick={() => apply(null)}>
            {t('albumChanges.changeAll')}
          </Button>
        )
      }
    >
      <QuestionList
        list={list}
        isEmpty={changes.length === 0 && regroupings.length === 0}
        skeletons={{ count: 4, height: '96px' }}
        empty={{ icon: IconAlbumChanges, title: t('albumChanges.emptyTitle'), text: t('albumChanges.empty') }}
      >
        {changes.length > 0 && (
          <>
            <p className={styles.lead}>
              {t('albumChanges.lead')} {dueAt && t('albumChanges.due', { date: formatDate(dueAt) })}
            </p>
            <ul className={styles.list} aria-label={t('place.albumChanges')}>
              {changes.map((albumChange) => (
                <Change
                  key={albumChange.albums.map(({ id }) => id).join()}
                  change={albumChange}
                  onChange={canEdit ? () => apply(albumChange.albums.map(({ id }) => id)) : undefined}
                  isBusy={change.isPending}
                />
              ))}
            </ul>
          </>
        )}
      </QuestionList>
      {regroupings.length > 0 && (
        <section aria-label={t('albumChanges.made')}>
          <div className={styles.groupHead}>
            <h2>{t('albumChanges.made')}</h2>
          </div>
          <ul className={styles.list}>
            {regroupings.map((regrouping) => (
              <MadeRegrouping
                key={regrouping.id}
                made={regrouping}
                onUndo={canEdit ? () => undo.mutate(regrouping.id, report) : undefined}
                isBusy={undo.isPending}
              />
            ))}
          </ul>
          {past.hasNextPage && (
            <Button disabled={past.isFetchingNextPage} onClick={() => void past.fetchNextPage()}>
              {t('review.more')}
            </Button>
          )}
        </section>
      )}
    </Page>
  );
}

interface ChangeProps {
  change: AlbumChangeOut;
  onChange: (() => void) | undefined;
  isBusy: boolean;
}

function Change({ change: { title, artist_name, albums, becomes }, onChange, isBusy }: ChangeProps) {
  const { t } = useTranslation();
  const [firstAlbum] = albums;
  const factsOf = (album: AlbumChangeOut['becomes'][number]): string =>
    [t('track.count', { count: album.track_count }), album.year, album.edition].filter(Boolean).join(' · ');
  return (
    <li className={styles.merge} aria-label={title}>
      <Cover src={firstAlbum ? albumCover(firstAlbum, 160) : null} alt="" className={styles.mergeCover} />
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        <p className={styles.by}>{artist_name ?? t('library.unknownArtist')}</p>
        <p className={styles.reason}>
          {t('albumChanges.becomes', {
            before: t('album.count', { count: albums.length }),
            after: t('album.count', { count: becomes.length }),
          })}
        </p>
        <ol>
          {becomes.map((album, n) => (
            <li key={n} className={styles.by}>
              {factsOf(album)} <code>{album.folders.join(', ')}</code>
            </li>
          ))}
        </ol>
      </div>
      {onChange && (
        <div className={styles.buttons}>
          <Button disabled={isBusy} onClick={onChange} aria-label={t('albumChanges.changeLabel', { title })}>
            {t('albumChanges.change')}
          </Button>
        </div>
      )}
    </li>
  );
}

interface MadeProps {
  made: RegroupingOut;
  onUndo: (() => void) | undefined;
  isBusy: boolean;
}

function MadeRegrouping({
  made: { title, artist_name, albums_before, made_at, expires_at },
  onUndo,
  isBusy,
}: MadeProps) {
  const { t } = useTranslation();
  return (
    <li className={styles.merge} aria-label={title}>
      <IconAlbumChanges aria-hidden size={24} />
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        <p className={styles.by}>{artist_name ?? t('library.unknownArtist')}</p>
        <p className={styles.reason}>
          {t('albumChanges.was', {
            before: t('album.count', { count: albums_before }),
            date: formatDate(made_at),
            until: formatDate(expires_at),
          })}
        </p>
      </div>
      {onUndo && (
        <div className={styles.buttons}>
          <Button
            icon={IconUndo}
            disabled={isBusy}
            onClick={onUndo}
            aria-label={t('albumChanges.undoLabel', { title })}
          >
            {t('albumChanges.undo')}
          </Button>
        </div>
      )}
    </li>
  );
}
