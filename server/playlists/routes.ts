// REST API of playlists. Users read their own and public playlists; only the owner changes a playlist.
import type { UserId } from '../db/ids.ts';
import { PlaylistIdIn } from '../db/ids.ts';
import { invalid } from '../errors.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { Pieces, type InPieces } from '../http/streamed-lists.ts';
import { route, type Route } from '../http/route.ts';
import { partsOf } from '../runtime/time-slices.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import { ADD_FORMS, PLAYLIST_FORMS, TRACKS_FORMS } from './other-forms.ts';
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
  RemoveChosen,
  RemoveEntries,
  RemoveQuery,
  RemoveTracks,
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
  TrackInListParam,
  UnmatchedLinePage,
  UnmatchedQuery,
  VersionEntryPage,
  VersionParam,
  type PlaylistEntryOut,
} from './wire.ts';

const IdParam = idParam(PlaylistIdIn);
/** The number of lines of a report that are sent in one piece. */
const LINES_PER_PIECE = 500;
const MAX_UNMATCHED_LINES = 1_000;

export function playlistRoutes({
  playlists,
  transfer,
}: {
  playlists: PlaylistService;
  transfer: PlaylistTransfer;
}): Route[] {
  async function toReply(
    userId: UserId,
    playlist: PlaylistSummary | Promise<PlaylistSummary>,
    { entries }: { entries: boolean },
  ): Promise<InPieces<PlaylistOut>> {
    const current = await playlists.withTotals(await playlist);
    return entries
      ? { ...toPlaylistOut(current), entries: new Pieces(entryPieces(userId, current)) }
      : toPlaylistOut(current);
  }

  async function* entryPieces(userId: UserId, playlist: PlaylistSummary): AsyncGenerator<PlaylistEntryOut[]> {
    for await (const entries of playlists.allEntries(userId, playlist)) yield entries.map(toEntryOut);
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
        summary: 'Create a playlist, ordinary or smart',
        body: PlaylistCreate,
        accepts: PLAYLIST_FORMS,
        longLists: ['track_ids'],
        query: EntriesWanted,
        reply: PlaylistOut,
        status: [201],
      },
      ({ user, body, query }) => toReply(user.id, playlists.create(user.id, body), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/smart-fields',
        access: 'user',
        summary: 'Fields and operators for rules of smart playlists',
        reply: SmartFieldsOut,
      },
      () => toSmartFields(),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/preview',
        access: 'user',
        summary: 'Preview the tracks that rules find',
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
        summary: 'Import an M3U, PLS or XSPF file (form field `file`); lines without a match are reported',
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
        return {
          playlist: await toReply(user.id, playlist, query),
          matched,
          unmatched: new Pieces(partsOf(unmatched, LINES_PER_PIECE)),
        };
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
      async ({ user, params, query }) => {
        const playlist = await playlists.get(user.id, params.id);
        const page = { limit: MAX_UNMATCHED_LINES, offset: 0 };
        return {
          ...(await toReply(user.id, playlist, query)),
          ...(playlist.file && { unmatched: playlists.listUnmatched(user.id, params.id, page).items }),
        };
      },
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/unmatched',
        access: 'user',
        summary: 'Lines of the playlist’s file in the music folder for which the library has no track, paged',
        params: IdParam,
        query: UnmatchedQuery,
        reply: UnmatchedLinePage,
      },
      ({ user, params, query }) => toPaged(playlists.listUnmatched(user.id, params.id, query), query, (line) => line),
    ),

    route(
      {
        method: 'patch',
        alsoMethods: ['put'],
        path: '/playlists/:id',
        access: 'user',
        summary: 'Edit name, description, visibility or rules of a playlist',
        params: IdParam,
        body: PlaylistUpdate,
        accepts: PLAYLIST_FORMS,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      ({ user, params, body, query }) => toReply(user.id, playlists.update(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id',
        access: 'user',
        summary: 'Delete a playlist; it can be restored unless `forever` is set',
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
        summary: 'Restore a deleted playlist',
        params: IdParam,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      ({ user, params, query }) => toReply(user.id, playlists.undelete(user.id, params.id), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Entries of a playlist, paged',
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
        accepts: ADD_FORMS,
        longLists: ['track_ids'],
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) => toReply(user.id, playlists.addTracks(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'put',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Reorder all entries',
        params: IdParam,
        query: EntriesWanted,
        body: Reorder,
        longLists: ['entry_ids'],
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) =>
        toReply(user.id, playlists.reorder(user.id, params.id, body.entryIds, body), query),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/tracks',
        access: 'user',
        summary: 'Remove several tracks, with all of their entries, or several entries',
        params: IdParam,
        query: RemoveEntries.extend(EntriesWanted.shape),
        body: RemoveTracks,
        bodyOptional: true,
        strict: true,
        accepts: TRACKS_FORMS,
        longLists: ['track_ids'],
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) => {
        const versionCheck = { expectedVersion: query.expected_version };
        const trackIds = body.track_ids ?? query.track_id;
        if (trackIds)
          return toReply(user.id, playlists.removeTracks(user.id, params.id, trackIds, versionCheck), query);
        if (!query.entry_id) throw invalid([{ field: 'track_ids', message: 'either this or entry_id is required' }]);
        const selection = { entryIds: query.entry_id };
        return toReply(user.id, playlists.removeEntries(user.id, params.id, selection, versionCheck), query);
      },
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/tracks/:track_id',
        access: 'user',
        summary: 'Add a track at the end',
        params: TrackInListParam,
        query: EntriesWanted,
        reply: PlaylistOut,
      },
      ({ user, params, query }) =>
        toReply(user.id, playlists.addTracks(user.id, params.id, { trackIds: [params.track_id] }), query),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/tracks/:track_id',
        access: 'user',
        summary: 'Remove a track, with all of its entries; 404 when it is not in the playlist',
        params: TrackInListParam,
        query: ExpectedVersion,
        reply: PlaylistOut,
      },
      ({ user, params, query }) =>
        toReply(
          user.id,
          playlists.removeTracks(user.id, params.id, [params.track_id], { expectedVersion: query.expected_version }),
          query,
        ),
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/entries/:entry_id',
        access: 'user',
        summary: 'Remove an entry',
        params: EntryParam,
        query: ExpectedVersion,
        reply: PlaylistOut,
      },
      ({ user, params, query }) =>
        toReply(
          user.id,
          playlists.removeEntries(
            user.id,
            params.id,
            { entryIds: [params.entry_id] },
            { expectedVersion: query.expected_version },
          ),
          query,
        ),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/tracks/remove',
        access: 'user',
        summary: 'Remove many entries, or all but some',
        params: IdParam,
        query: EntriesWanted,
        body: RemoveChosen,
        strict: true,
        longLists: ['entry_ids', 'all_but'],
        reply: PlaylistOut,
      },
      ({ user, params, query, body: { chosen: selection, ...versionCheck } }) =>
        toReply(user.id, playlists.removeEntries(user.id, params.id, selection, versionCheck), query),
    ),

    route(
      {
        method: 'post',
        path: '/playlists/:id/tracks/move',
        access: 'user',
        summary: 'Move entries together to another position',
        params: IdParam,
        query: EntriesWanted,
        body: MoveEntries,
        longLists: ['entry_ids', 'all_but'],
        reply: PlaylistOut,
      },
      ({ user, params, query, body }) => toReply(user.id, playlists.moveEntries(user.id, params.id, body), query),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/contains',
        access: 'user',
        summary: 'Find out which of these tracks are in the playlist',
        params: IdParam,
        query: ContainsQuery,
        reply: TrackIdList,
      },
      ({ user, params, query }) => playlists.listContained(user.id, params.id, query.track_id),
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/versions',
        access: 'user',
        summary: 'Versions of a playlist, latest first',
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
        summary: 'Entries of a version of a playlist',
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
        summary: 'Restore an earlier version of a playlist',
        params: IdParam,
        query: EntriesWanted,
        body: Restore,
        reply: RestoreOut,
      },
      async ({ user, params, query, body }) => {
        const { playlist, missing } = await playlists.restore(user.id, params.id, body);
        return {
          playlist: await toReply(user.id, playlist, query),
          missing: new Pieces(
            partsOf(
              missing.map(({ title, artistName }) => ({ title, artist_name: artistName })),
              LINES_PER_PIECE,
            ),
          ),
        };
      },
    ),

    route(
      {
        method: 'get',
        path: '/playlists/:id/export.m3u8',
        access: 'stream',
        scope: 'download',
        summary: 'Export a playlist as an M3U8 file',
        params: IdParam,
        query: ExportQuery,
        problems: ['conflict'],
        produces: ['audio/x-mpegurl'],
      },
      ({ user, params, query, res }) => transfer.send(res, user, params.id, query.paths),
    ),
  ];
}
