// Playlists over REST. Everybody reads their own and public ones; only the owner changes them.
import type { UserId } from '../db/ids.ts';
import { PlaylistIdIn } from '../db/ids.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { PlaylistSummary } from './queries.ts';
import type { PlaylistService } from './service.ts';
import type { PlaylistTransfer } from './transfer.ts';
import {
  AddTracks,
  ContainsQuery,
  EntriesWanted,
  EntryParam,
  EntryQuery,
  ExpectedVersion,
  ExportQuery,
  ImportOut,
  ImportQuery,
  MoveEntries,
  PlaylistCreate,
  PlaylistEntryPage,
  PlaylistOut,
  PlaylistPage,
  PlaylistQuery,
  PlaylistUpdate,
  PlaylistVersionPage,
  PreviewOut,
  PreviewRules,
  RemoveEntries,
  RemoveQuery,
  Reorder,
  Restore,
  RestoreOut,
  SmartFieldsOut,
  toEntryOut,
  toPlaylistOut,
  toSmartFields,
  toVersionEntryOut,
  toVersionOut,
  TrackIdList,
  VersionEntryPage,
  VersionParam,
  type PlaylistEntryOut,
} from './wire.ts';

const IdParam = idParam(PlaylistIdIn);

export function playlistRoutes({
  playlists,
  transfer,
}: {
  playlists: PlaylistService;
  transfer: PlaylistTransfer;
}): Route[] {
  /** As it is now, with its entries unless they are not wanted. */
  async function shown(
    userId: UserId,
    playlist: PlaylistSummary,
    { entries }: { entries: boolean },
  ): Promise<PlaylistOut> {
    const now = await playlists.withTotals(playlist);
    if (!entries) return toPlaylistOut(now);
    const all: PlaylistEntryOut[] = [];
    for await (const some of playlists.allEntries(userId, now)) all.push(...some.map(toEntryOut));
    return { ...toPlaylistOut(now), entries: all };
  }

  return [
    route(
      {
        method: 'get',
        path: '/playlists',
        access: 'user',
        summary: 'Your playlists and public ones, by name',
        query: PlaylistQuery,
        reply: PlaylistPage,
      },
      async ({ user, query }) =>
        toPaged(await playlists.list(user.id, query, { deleted: query.deleted === true }), query, toPlaylistOut),
    ),

    route(
      {
        method: 'post',
        path: '/playlists',
        access: 'user',
        summary: 'Make a playlist, ordinary or smart',
        body: PlaylistCreate,
        query: EntriesWanted,
        reply: PlaylistOut,
        status: [201],
      },
      ({ user, body, query }) => shown(user.id, playlists.create(user.id, body), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/smart-fields',
        access: 'user',
        summary: 'What rules of a smart playlist can ask',
        reply: SmartFieldsOut,
      },
      () => toSmartFields(),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/preview',
        access: 'user',
        summary: 'What rules find, before they are saved',
        body: PreviewRules,
        reply: PreviewOut,
      },
      async ({ user, body }) => {
        const { trackCount, durationMs, tracks } = await playlists.preview(user.id, body.rules, body.limit);
        return { track_count: trackCount, duration_ms: durationMs, tracks: tracks.map(toTrackOut) };
      },
    ),

    route(
      {
        method: 'post',
        path: '/playlists/import',
        access: 'user',
        summary: 'A playlist from an M3U, PLS or XSPF file (form field `file`); lines that fit no track are reported',
        query: ImportQuery,
        consumes: 'multipart/form-data',
        reply: ImportOut,
        status: [201],
      },
      async ({ user, query, req }) => {
        const { playlist, matched, unmatched } = await transfer.receive(req, user, {
          name: query.name,
          isPublic: query.is_public,
        });
        return { playlist: await shown(user.id, playlist, query), matched, unmatched };
      },
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id',
        access: 'user',
        summary: 'A playlist with its entries',
        params: IdParam,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      async ({ user, params, query }) => shown(user.id, await playlists.get(user.id, params.id), query),
    ),

    route(
      {
        method: 'patch',
        path: '/playlists/:id',
        access: 'user',
        summary: 'Rename, describe, share, or change the rules',
        params: IdParam,
        body: PlaylistUpdate,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      ({ user, params, body, query }) => shown(user.id, playlists.update(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id',
        access: 'user',
        summary: 'Delete a playlist; it can be brought back, unless it is deleted for ever',
        params: IdParam,
        query: RemoveQuery,
      },
      ({ user, params, query }) =>
        query.forever ? playlists.deleteForever(user.id, params.id) : playlists.delete(user.id, params.id),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/undelete',
        access: 'user',
        summary: 'Bring a deleted playlist back',
        params: IdParam,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      ({ user, params, query }) => shown(user.id, playlists.undelete(user.id, params.id), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Entries of a playlist, by pages',
        params: IdParam,
        query: EntryQuery,
        reply: PlaylistEntryPage,
      },
      async ({ user, params, query }) => toPaged(await playlists.entries(user.id, params.id, query), query, toEntryOut),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Add tracks',
        params: IdParam,
        query: EntriesWanted,
        body: AddTracks,
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) => shown(user.id, playlists.addTracks(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'put',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Put all entries into another order',
        params: IdParam,
        query: EntriesWanted,
        body: Reorder,
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) =>
        shown(user.id, playlists.reorder(user.id, params.id, body.entryIds, body), query),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Take several entries out',
        params: IdParam,
        query: RemoveEntries.extend(EntriesWanted.shape),
        reply: PlaylistOut,
      },
      ({ user, params, query }) =>
        shown(
          user.id,
          playlists.removeEntries(user.id, params.id, query.entry_id, { expectedVersion: query.expected_version }),
          query,
        ),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/tracks/:entry_id',
        access: 'user',
        summary: 'Take an entry out',
        params: EntryParam,
        query: ExpectedVersion,
        reply: PlaylistOut,
      },
      ({ user, params, query }) =>
        shown(
          user.id,
          playlists.removeEntries(user.id, params.id, [params.entry_id], { expectedVersion: query.expected_version }),
          query,
        ),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/tracks/move',
        access: 'user',
        summary: 'Move entries together to another place',
        params: IdParam,
        query: EntriesWanted,
        body: MoveEntries,
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) => shown(user.id, playlists.moveEntries(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/contains',
        access: 'user',
        summary: 'Which of these tracks are in the playlist',
        params: IdParam,
        query: ContainsQuery,
        reply: TrackIdList,
      },
      ({ user, params, query }) => playlists.contained(user.id, params.id, query.track_id),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/versions',
        access: 'user',
        summary: 'Every version of a playlist, the latest first',
        params: IdParam,
        query: EntryQuery,
        reply: PlaylistVersionPage,
      },
      ({ user, params, query }) => toPaged(playlists.listVersions(user.id, params.id, query), query, toVersionOut),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/versions/:version',
        access: 'user',
        summary: 'What a playlist held in a version',
        params: VersionParam,
        query: EntryQuery,
        reply: VersionEntryPage,
      },
      ({ user, params, query }) =>
        toPaged(playlists.versionEntries(user.id, params.id, params.version, query), query, toVersionEntryOut),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/restore',
        access: 'user',
        summary: 'Make a playlist hold what it held in an earlier version',
        params: IdParam,
        query: EntriesWanted,
        body: Restore,
        reply: RestoreOut,
      },
      async ({ user, params, query, body }) => {
        const { playlist, missing } = playlists.restore(user.id, params.id, body);
        return {
          playlist: await shown(user.id, playlist, query),
          missing: missing.map(({ title, artistName }) => ({ title, artist_name: artistName })),
        };
      },
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/export.m3u8',
        access: 'stream',
        summary: 'A playlist as an M3U8 file',
        params: IdParam,
        query: ExportQuery,
        produces: ['audio/x-mpegurl'],
      },
      ({ user, params, query, res }) => transfer.send(res, user, params.id, query.paths),
    ),
  ];
}
