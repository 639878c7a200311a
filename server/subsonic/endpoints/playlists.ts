// Endpoints of playlists.
import type { Accounts } from '../../auth/accounts.ts';
import type { PlaylistId, TrackId, UserId } from '../../db/ids.ts';
import { forbidden, notFound } from '../../errors.ts';
import { Pieces } from '../../http/streamed-lists.ts';
import { MAX_PLAYLIST_ENTRIES } from '../../playlists/changes.ts';
import type { PlaylistSummary } from '../../playlists/queries.ts';
import type { PlaylistService } from '../../playlists/service.ts';
import { mapInSlices } from '../../runtime/time-slices.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missing } from '../errors.ts';
import { idOf, toCoverId, toId } from '../ids.ts';
import type { Items } from '../items.ts';
import { ALL, listOf, pagesOf } from '../list-slices.ts';
import { listed } from '../params.ts';
import { inSeconds } from '../wire.ts';
import type { Fields } from '../xml.ts';

export interface PlaylistDeps {
  playlists: PlaylistService;
  items: Pick<Items, 'songsOf'>;
  accounts: Pick<Accounts, 'findByName'>;
}

export function playlistEndpoints({ playlists, items, accounts }: PlaylistDeps): Endpoints {
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
    return { ...toPlaylist(call, playlist), entry: new Pieces(songsIn(call, playlist)) };
  }

  async function* songsIn({ user: asking, shapes }: Call, playlist: PlaylistSummary): AsyncGenerator<Fields[]> {
    for await (const part of playlists.allEntries(asking.id, playlist))
      yield part.map(({ track }) => shapes.song(track));
  }

  /** The songs there are: a phone may still know some that are gone. */
  const songsOf = ({ params, user: { id } }: Call, name: string): Promise<TrackId[]> =>
    items.songsOf(id, listed(params, name), MAX_PLAYLIST_ENTRIES);

  /** Administrators may ask for the lists of others; what is private in them only its owner can open. */
  function whose({ params, user: asking }: Call): UserId {
    const username = params.text('username');
    if (username === undefined) return asking.id;
    const found = accounts.findByName(username);
    if (found?.id === asking.id) return asking.id;
    if (!asking.isSuperuser) throw forbidden('Only an administrator may see the playlists of others.');
    if (!found) throw notFound('user', username);
    return found.id;
  }

  return {
    /** Never a part of them: clients delete what is not in the list. */
    getPlaylists: user((call) => {
      const of = whose(call);
      return {
        playlists: {
          playlist: listOf(
            pagesOf(ALL, async (page) => (await playlists.list(of, page)).items),
            (playlist) => toPlaylist(call, playlist),
          ),
        },
      };
    }),

    getPlaylist: user(async (call) => ({
      playlist: await withEntries(call, idOf('playlist', call.params.required('id'))),
    })),

    /** With a playlistId, replaces all songs of that playlist, and its name if there is one. */
    createPlaylist: user(async (call) => {
      const {
        params,
        user: { id: userId },
      } = call;
      const [existing, given] = [params.text('playlistId'), params.text('name')];
      const name = given === undefined ? undefined : named(given);
      const trackIds = await songsOf(call, 'songId');
      if (existing === undefined) {
        if (name === undefined) throw missing('name');
        const { id: created } = await playlists.create(userId, { name, trackIds });
        return { playlist: await withEntries(call, created) };
      }
      const id = idOf('playlist', existing);
      await playlists.replaceTracks(userId, id, trackIds);
      if (name !== undefined) playlists.update(userId, id, { name });
      return { playlist: await withEntries(call, id) };
    }),

    updatePlaylist: user(async (call) => {
      const {
        params,
        user: { id: userId },
      } = call;
      const id = idOf('playlist', params.required('playlistId'));
      const name = params.text('name');
      const isPublic = params.optionalBool('public');
      await playlists.edit(userId, id, {
        ...(name !== undefined && { name: named(name) }),
        ...(params.has('comment') && { description: params.text('comment')?.slice(0, MOST_COMMENT) ?? null }),
        ...(isPublic !== undefined && { isPublic }),
        removeIndexes: await mapInSlices(listed(params, 'songIndexToRemove'), indexOf),
        addTrackIds: await songsOf(call, 'songIdToAdd'),
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
