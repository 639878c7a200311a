// Endpoints of playlists.
import type { PlaylistId, TrackId, UserId } from '../../db/ids.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PlaylistSummary } from '../../playlists/queries.ts';
import type { PlaylistService } from '../../playlists/service.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missing } from '../errors.ts';
import { idOf, parseId, toCoverId, toId } from '../ids.ts';
import { ALL } from '../list-slices.ts';
import type { Params } from '../params.ts';
import { inSeconds } from '../wire.ts';
import type { Fields } from '../xml.ts';

export interface PlaylistDeps {
  playlists: PlaylistService;
  library: Pick<LibraryService, 'tracksById'>;
}

export function playlistEndpoints({ playlists, library }: PlaylistDeps): Endpoints {
  const toPlaylist = ({ user: asking, shapes }: Pick<Call, 'user' | 'shapes'>, playlist: PlaylistSummary): Fields => ({
    id: toId('playlist', playlist.id),
    name: playlist.name,
    comment: playlist.description ?? '',
    owner: playlist.ownerName,
    public: playlist.isPublic,
    songCount: playlist.trackCount,
    duration: inSeconds(playlist.durationMs),
    created: playlist.createdAt,
    changed: playlist.updatedAt,
    coverArt: toCoverId('playlist', playlist.id, playlist.version),
    ...shapes.open(() => ({ readonly: playlist.rules !== null || playlist.ownerId !== asking.id })),
  });

  async function withEntries(call: Call, id: PlaylistId): Promise<Fields> {
    const playlist = await playlists.get(call.user.id, id);
    const entry: Fields[] = [];
    for await (const part of playlists.allEntries(call.user.id, playlist))
      entry.push(...part.map(({ track }) => call.shapes.song(track)));
    return { ...toPlaylist(call, playlist), entry };
  }

  /** Without songs that no longer exist, which clients may still know. */
  function songsOf(params: Params, name: string, userId: UserId): TrackId[] {
    const ids = params
      .all(name)
      .map((text) => parseId(text))
      .flatMap((item) => (item?.kind === 'track' ? [item.id] : []));
    const there = new Set(library.tracksById(userId, [...new Set(ids)]).map(({ id }) => id));
    return ids.filter((id) => there.has(id));
  }

  return {
    /** Always complete: clients delete playlists that are not in the list. */
    getPlaylists: user(async (call) => ({
      playlists: {
        playlist: (await playlists.list(call.user.id, ALL)).items.map((playlist) => toPlaylist(call, playlist)),
      },
    })),

    getPlaylist: user(async (call) => ({
      playlist: await withEntries(call, idOf('playlist', call.params.required('id'))),
    })),

    /** With a playlistId, replaces all songs of that playlist, and its name if there is one. */
    createPlaylist: user(async (call) => {
      const {
        params,
        user: { id: userId },
      } = call;
      const [existing, name] = [params.text('playlistId'), params.text('name')];
      const trackIds = songsOf(params, 'songId', userId);
      if (existing === undefined) {
        if (name === undefined) throw missing('name');
        return { playlist: await withEntries(call, playlists.create(userId, { name: named(name), trackIds }).id) };
      }
      const id = idOf('playlist', existing);
      playlists.replaceTracks(userId, id, trackIds);
      if (name !== undefined) playlists.update(userId, id, { name: named(name) });
      return { playlist: await withEntries(call, id) };
    }),

    updatePlaylist: user(({ params, user: { id: userId } }) => {
      const id = idOf('playlist', params.required('playlistId'));
      const name = params.text('name');
      const isPublic = params.optionalBool('public');
      playlists.edit(userId, id, {
        ...(name !== undefined && { name: named(name) }),
        ...(params.has('comment') && { description: params.text('comment')?.slice(0, MOST_COMMENT) ?? null }),
        ...(isPublic !== undefined && { isPublic }),
        removeIndexes: params.all('songIndexToRemove').map(indexOf),
        addTrackIds: songsOf(params, 'songIdToAdd', userId),
      });
      return NOTHING;
    }),

    deletePlaylist: user(({ params, user: { id } }) => {
      playlists.delete(id, idOf('playlist', params.required('id')));
      return NOTHING;
    }),
  };
}

const MOST_NAME = 200;
const MOST_COMMENT = 2_000;

function named(name: string): string {
  const text = name.trim().slice(0, MOST_NAME);
  if (text === '') throw missing('name');
  return text;
}

function indexOf(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new Fault(0, 'The parameter songIndexToRemove must be a whole number.');
  return Number(text);
}
