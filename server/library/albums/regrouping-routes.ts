// REST API of regrouping albums: preview, regroup, merge two albums of one name, undo.
import { z } from 'zod';
import type { AlbumsBefore } from '../../db/albums-before-regrouping.ts';
import { AlbumIdIn, RegroupingIdIn } from '../../db/ids.ts';
import { idParam, pageQuery, toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import { toIso } from '../../http/times.ts';
import type { Jobs } from '../../jobs/service.ts';
import { JobOut, toJobOut } from '../../jobs/wire.ts';
import type { AlbumChange, AlbumRegroupings, Regrouping } from './album-regroupings.ts';
import type { PlacedTrack } from './album-releases.ts';
import {
  AlbumChangePage,
  AlbumChangesIn,
  RegroupingOut,
  RegroupingPage,
  type AlbumChangeOut,
} from './regrouping-wire.ts';
import { mostFrequent } from './releases.ts';
import type { LibraryService } from '../service.ts';
import { REGROUP_ALBUMS } from '../tasks.ts';
import { TRASH_RETENTION_MS } from '../trash/trash.ts';
import { toAlbumOut } from '../wire-maps.ts';

/** Folders that are listed for each album. */
const MAX_FOLDERS = 3;

interface RegroupingRouteDeps {
  regroupings: Pick<AlbumRegroupings, 'listChanges' | 'dueAt' | 'merge' | 'listPast' | 'undo'>;
  library: Pick<LibraryService, 'albumsById'>;
  jobs: Pick<Jobs, 'enqueue'>;
  libraryChanged: () => void;
}

const toBecome = (tracks: readonly PlacedTrack[]): AlbumChangeOut['becomes'][number] => ({
  track_count: tracks.length,
  year: mostFrequent(tracks.map(({ year }) => year)) ?? null,
  edition: mostFrequent(tracks.map(({ edition }) => edition)) ?? null,
  release_mbid: mostFrequent(tracks.map(({ releaseMbid }) => releaseMbid)) ?? null,
  folders: [...new Set(tracks.flatMap(({ folder }) => folder?.slice(folder.indexOf('/') + 1) ?? []))].slice(
    0,
    MAX_FOLDERS,
  ),
});

const toRegroupingOut = ({ id, title, artistName, before, madeAt }: Regrouping): RegroupingOut => ({
  id,
  title,
  artist_name: artistName,
  albums_before: (before as AlbumsBefore).length,
  made_at: toIso(madeAt),
  expires_at: toIso(new Date(madeAt.getTime() + TRASH_RETENTION_MS)),
});

export const regroupingRoutes = ({ regroupings, library, jobs, libraryChanged }: RegroupingRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/album-changes',
      access: 'user',
      summary: 'Albums of an earlier version that would be other albums now',
      query: z.object(pageQuery),
      reply: AlbumChangePage,
    },
    async ({ user, query }) => {
      const changes = await regroupings.listChanges();
      const { limit, offset } = query;
      const items = changes.slice(offset, offset + limit);
      const toOut = (change: AlbumChange): AlbumChangeOut => ({
        title: change.title,
        artist_name: change.artistName,
        albums: library.albumsById(user.id, change.albums).map(toAlbumOut),
        becomes: change.proposedAlbums.map(toBecome),
      });
      const dueAt = regroupings.dueAt();
      return { ...toPaged({ items, total: changes.length }, query, toOut), due_at: dueAt ? toIso(dueAt) : null };
    },
  ),

  route(
    {
      method: 'post',
      path: '/album-changes',
      access: 'user',
      right: 'canEdit',
      summary: 'Make these albums what they would be now, in the background',
      body: AlbumChangesIn,
      reply: JobOut,
      status: [202],
    },
    async ({ user, body }) =>
      toJobOut(await jobs.enqueue(REGROUP_ALBUMS, { by: user.id, albumIds: body.album_ids ?? undefined })),
  ),

  route(
    {
      method: 'get',
      path: '/album-regroupings',
      access: 'user',
      summary: 'Albums that became others in the last 30 days, latest first',
      query: z.object(pageQuery),
      reply: RegroupingPage,
    },
    ({ query }) => toPaged(regroupings.listPast(query), query, toRegroupingOut),
  ),

  route(
    {
      method: 'post',
      path: '/album-regroupings/:id/undo',
      problems: ['conflict'],
      access: 'user',
      right: 'canEdit',
      summary: 'Make the albums what they were before; they stay so',
      params: idParam(RegroupingIdIn),
      status: [204],
    },
    ({ params }) => {
      regroupings.undo(params.id);
      libraryChanged();
    },
  ),

  route(
    {
      method: 'post',
      path: '/albums/:id/merge',
      problems: ['conflict'],
      access: 'user',
      right: 'canEdit',
      summary: 'Make an album of the same name part of another one; it stays so',
      params: idParam(AlbumIdIn),
      body: z.object({ into: AlbumIdIn }),
      reply: RegroupingOut,
    },
    ({ user, params, body }) => {
      const regrouping = regroupings.merge(params.id, body.into, user.id);
      libraryChanged();
      return toRegroupingOut(regrouping);
    },
  ),
];
