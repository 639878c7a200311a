// The page of one playlist: header, tracks (of the current or an earlier version), and the list of versions.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconPlaylist } from '../../ui/theme/icons.ts';
import { entryPage, matchingEntryPage, playlistQuery } from '../../api/playlists.ts';
import { PAGE_SIZE } from '../../api/pages-ahead.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { detailOf, isAbsent } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { trackCover } from '../../api/urls.ts';
import { markItems } from '../../music/item-marks.ts';
import { playlistItems } from '../../music/items.ts';
import { coversOf, Mosaic } from '../../music/mosaic.tsx';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { formatAgo, formatLength } from '../../ui/format.ts';
import { Hero, HeroPage, HeroSkeleton } from '../../ui/hero.tsx';
import { AbsentPage } from '../../music/absent-page.tsx';
import { usePageTitle } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { TextFilter } from '../../ui/lists/text-filter.tsx';
import { EntryTable } from './entry-table.tsx';
import { FollowedFile } from './followed-file.tsx';
import { PlaylistTools } from './playlist-tools.tsx';
import { VersionEntries } from './version-entries.tsx';
import { VersionsPanel } from './versions-panel.tsx';
import '../../i18n/page-texts.ts';
import styles from './playlists.module.css';

export function PlaylistPage() {
  const { t } = useTranslation();
  const { playlistId: id } = useParams({ from: '/app/playlists/$playlistId' });
  const { q = '', versions, version } = useSearch({ from: '/app/playlists/$playlistId' });
  const navigate = useNavigate();
  const userId = useSession()?.user.id;
  const playlist = useQuery(playlistQuery(id));
  const list = usePagedList((page) => entryPage(id, page));
  const matches = usePagedList((page) => (q === '' ? entryPage(id, page) : matchingEntryPage(id, q, page)));
  const firstTracks = Array.from(
    { length: Math.min(PAGE_SIZE, list.total ?? 0) },
    (_, i) => list.item(i)?.track,
  ).filter((track) => track !== undefined);
  const covers = coversOf(firstTracks, (track) => trackCover(track, 300));
  const accent = useArtworkAccent(covers[0] ?? null);
  usePageTitle(playlist.data?.name);

  if (isAbsent(playlist.error)) return <AbsentPage kind="playlist" />;
  if (playlist.error)
    return <ErrorState isPage detail={detailOf(playlist.error)} onRetry={() => void playlist.refetch()} />;
  if (!playlist.data) return <HeroSkeleton />;
  const { name, description, is_smart, is_public, owner_id, owner_name, track_count, duration_ms, updated_at } =
    playlist.data;
  const isOwnPlaylist = owner_id === userId;
  const changeSearch = (search: { q?: string; versions?: true; version?: number }) =>
    void navigate({ to: '/playlists/$playlistId', params: { playlistId: id }, search, replace: true });
  const filterBy = (text: string) => changeSearch({ ...(text !== '' && { q: text }), ...(versions && { versions }) });
  const isOldVersion = version !== undefined && version !== playlist.data.version;

  function body() {
    if (isOldVersion)
      return (
        <VersionEntries
          key={version}
          playlist={playlist.data!}
          version={version}
          isOwnPlaylist={isOwnPlaylist}
          onBack={() => changeSearch({ versions: true })}
        />
      );
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0) {
      return is_smart ? (
        <EmptyState
          icon={IconPlaylist}
          title={t('playlist.noMatch')}
          actions={
            isOwnPlaylist && (
              <ButtonLink to="/playlists/$playlistId/rules" params={{ playlistId: id }}>
                {t('rules.edit')}
              </ButtonLink>
            )
          }
        />
      ) : (
        <EmptyState
          icon={IconPlaylist}
          title={t('playlist.emptyTitle')}
          actions={
            <ButtonLink to="/tracks" variant="primary">
              {t('playlist.browse')}
            </ButtonLink>
          }
        >
          {t('playlist.empty')}
        </EmptyState>
      );
    }
    if (matches.error && matches.total === undefined)
      return <ErrorState detail={detailOf(matches.error)} onRetry={matches.retry} />;
    if (matches.total === 0)
      return (
        <EmptyState
          icon={IconPlaylist}
          title={t('list.noMatch')}
          actions={<Button onClick={() => filterBy('')}>{t('list.clearFilters')}</Button>}
        />
      );
    return (
      <EntryTable
        key={q}
        playlist={playlist.data!}
        list={matches}
        q={q}
        firstEntry={list.item(0)}
        isEditable={isOwnPlaylist && !is_smart}
      />
    );
  }

  return (
    <HeroPage accent={accent}>
      <Hero
        kind={t(is_smart ? 'playlist.smart' : 'playlist.playlist')}
        name={name}
        cover={null}
        picture={<Mosaic covers={covers} />}
        by={description}
        facts={[
          t('track.count', { count: track_count }),
          track_count > 0 && formatLength(duration_ms),
          !isOwnPlaylist && t('playlist.by', { name: owner_name }),
          is_public && t('playlist.public'),
          t('playlist.changed', { ago: formatAgo(updated_at) }),
        ]}
        actions={<PlaylistTools playlist={playlist.data} has={(id) => firstTracks.some((track) => track.id === id)} />}
        mark={markItems(playlistItems(playlist.data))}
      />
      <FollowedFile playlist={playlist.data} isOwnPlaylist={isOwnPlaylist} />
      <div className={styles.body} data-versions={versions || undefined}>
        <div className={styles.entries}>
          {!isOldVersion && track_count > 0 && (
            <div className={styles.filter}>
              <TextFilter text={q} onChange={filterBy} />
            </div>
          )}
          {body()}
        </div>
        {versions && (
          <VersionsPanel
            playlist={playlist.data}
            shownVersion={version}
            onShow={(next) => changeSearch({ versions: true, ...(next !== undefined && { version: next }) })}
            onClose={() => changeSearch({})}
          />
        )}
      </div>
    </HeroPage>
  );
}
