// Endpoints of playlists.
import type { Accounts } from '../../auth/accounts.ts';
import type { PlaylistId, TrackId, UserId } from '../../db/ids.ts';
import { forbidden, notFound } from '../../errors.ts';
import { Pieces } from '../../http/streamed-lists.ts';
import { MAX_PLAYLIST_ENTRIES } from '../../playlists/change-plans.ts';
import type { PlaylistSummary } from '../../playlists/queries.ts';
import type { PlaylistService } from '../../playlists/service.ts';
import { mapInSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missingParameter } from '../errors.ts';
import { idOf, toCoverId, toId } from '../ids.ts';
import type { Items } from '../items.ts';
import { ALL, listOf, pagesOf } from '../list-slices.ts';
import { readList } from '../params.ts';
import { inSeconds } from '../wire.ts';
import type { Fields } from '../xml.ts';

export interface PlaylistDeps {
  playlists: PlaylistService;
  items: Pick<Items, 'songsOf'>;
  accounts: Pick<Accounts, 'findByName'>;
}

export function playlistEndpoints({ playlists, items, accounts }: PlaylistDeps): Endpoints {
  const toPlaylist = ({ user: caller, shapes }: Pick<Call, 'user' | 'shapes'>, playlist: PlaylistSummary): Fields => ({
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
    ...shapes.open(() => ({ readonly: playlist.rules !== null || playlist.ownerId !== caller.id })),
  });

  async function readWithEntries(call: Call, id: PlaylistId): Promise<Fields> {
    const playlist = await playlists.get(call.user.id, id);
    return { ...toPlaylist(call, playlist), entry: new Pieces(songsIn(call, playlist)) };
  }

  async function* songsIn({ user: caller, shapes }: Call, playlist: PlaylistSummary): AsyncGenerator<Fields[]> {
    for await (const part of playlists.allEntries(caller.id, playlist))
      yield part.map(({ track }) => shapes.song(track));
  }

  /** Returns the songs that exist; a phone may still have ids of deleted songs. */
  const songsOf = ({ params, user: { id } }: Call, name: string): Promise<TrackId[]> =>
    items.songsOf(id, readList(params, name), MAX_PLAYLIST_ENTRIES);

  /**
   * Returns whose playlists are listed. Administrators may list those of other users, but not open their private ones.
   */
  function requestedOwner({ params, user: caller }: Call): UserId {
    const username = params.text('username');
    if (username === undefined) return caller.id;
    const owner = accounts.findByName(username);
    if (owner?.id === caller.id) return caller.id;
    if (!caller.isSuperuser) throw forbidden('Only an administrator may see the playlists of others.');
    if (!owner) throw notFound('user', username);
    return owner.id;
  }

  return {
    /** Returns all playlists at once, because clients delete those that are not in the list. */
    getPlaylists: userEndpoint((call) => {
      const ownerId = requestedOwner(call);
      return {
        playlists: {
          playlist: listOf(
            pagesOf(ALL, async (page) => (await playlists.list(ownerId, page)).items),
            (playlist) => toPlaylist(call, playlist),
          ),
        },
      };
    }),

    getPlaylist: userEndpoint(async (call) => ({
      playlist: await readWithEntries(call, idOf('playlist', call.params.required('id'))),
    })),

    /** Creates a playlist. With a playlistId, replaces all songs of that playlist, and its name if a name is sent. */
    createPlaylist: userEndpoint(async (call) => {
      const {
        params,
        user: { id: userId },
      } = call;
      const [playlistText, nameText] = [params.text('playlistId'), params.text('name')];
      const name = nameText === undefined ? undefined : toPlaylistName(nameText);
      const trackIds = await songsOf(call, 'songId');
      if (playlistText === undefined) {
        if (name === undefined) throw missingParameter('name');
        const { id: createdId } = await playlists.create(userId, { name, trackIds });
        return { playlist: await readWithEntries(call, createdId) };
      }
      const id = idOf('playlist', playlistText);
      await playlists.replaceTracks(userId, id, trackIds);
      if (name !== undefined) playlists.update(userId, id, { name });
      return { playlist: await readWithEntries(call, id) };
    }),

    updatePlaylist: userEndpoint(async (call) => {
      const {
        params,
        user: { id: userId },
      } = call;
      const id = idOf('playlist', params.required('playlistId'));
      const name = params.text('name');
      const isPublic = params.optionalBool('public');
      await playlists.edit(userId, id, {
        ...(name !== undefined && { name: toPlaylistName(name) }),
        ...(params.has('comment') && { description: params.text('comment')?.slice(0, MAX_COMMENT_CHARACTERS) ?? null }),
        ...(isPublic !== undefined && { isPublic }),
        removeIndexes: await mapInSlices(readList(params, 'songIndexToRemove'), toIndex),
        addTrackIds: await songsOf(call, 'songIdToAdd'),
      });
      return EMPTY_PAYLOAD;
    }),

    deletePlaylist: userEndpoint(({ params, user: { id } }) => {
      playlists.delete(id, idOf('playlist', params.required('id')));
      return EMPTY_PAYLOAD;
    }),
  };
}

const MAX_NAME_CHARACTERS = 200;
const MAX_COMMENT_CHARACTERS = 2_000;

function toPlaylistName(name: string): string {
  const text = name.trim().slice(0, MAX_NAME_CHARACTERS);
  if (text === '') throw missingParameter('name');
  return text;
}

function toIndex(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new Fault(0, 'The parameter songIndexToRemove must be a whole number.');
  return Number(text);
}
