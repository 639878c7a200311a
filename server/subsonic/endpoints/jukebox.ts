// The endpoint jukeboxControl: a phone plays music on the computer, through a window of Tonearm that offered itself as
// the speaker.
import type { TrackId, UserId } from '../../db/ids.ts';
import { MAX_JUKEBOX_SONGS, type JukeboxService, type JukeboxState } from '../../jukebox/service.ts';
import type { LibraryService } from '../../library/service.ts';
import { requireRight, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missingParameter } from '../errors.ts';
import type { Items } from '../items.ts';
import { listOfIds } from '../list-slices.ts';
import { readList, type Params } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface JukeboxDeps {
  jukebox: JukeboxService;
  library: Pick<LibraryService, 'tracksById'>;
  items: Pick<Items, 'songsOf'>;
}

export function jukeboxEndpoints({ jukebox, library, items }: JukeboxDeps): Endpoints {
  /** Returns the songs of the call. Throws `forbidden` if there is no speaker, before it looks for songs. */
  function songsOf(params: Params, userId: UserId): Promise<TrackId[]> {
    jukebox.status(userId);
    return items.songsOf(userId, readList(params, 'id').slice(0, MAX_JUKEBOX_SONGS), MAX_JUKEBOX_SONGS);
  }

  const ACTIONS: Record<string, (userId: UserId, params: Params) => JukeboxState | Promise<JukeboxState>> = {
    status: (id) => jukebox.status(id),
    set: async (id, params) => jukebox.set(id, await songsOf(params, id)),
    add: async (id, params) => jukebox.add(id, await songsOf(params, id)),
    clear: (id) => jukebox.clear(id),
    remove: (id, params) => jukebox.remove(id, params.requiredInt('index')),
    start: (id) => jukebox.start(id),
    stop: (id) => jukebox.stop(id),
    skip: (id, params) => jukebox.skip(id, params.requiredInt('index'), Math.max(0, params.int('offset') ?? 0) * 1_000),
    shuffle: (id) => jukebox.shuffle(id),
    setGain(id, params) {
      const gain = params.number('gain');
      if (gain === undefined) throw missingParameter('gain');
      return jukebox.setGain(id, gain);
    },
  };

  function playlist({ user: { id }, shapes }: Call): Fields {
    const state = jukebox.status(id);
    const songs = listOfIds(
      state.trackIds,
      (ids) => library.tracksById(id, ids),
      (track) => shapes.song(track),
    );
    return { ...toStatus(state), entry: songs };
  }

  return {
    jukeboxControl: requireRight(
      'canJukebox',
      userEndpoint(async (call) => {
        const action = call.params.required('action');
        if (action === 'get') return { jukeboxPlaylist: playlist(call) };
        const runAction = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
        if (!runAction) throw new Fault(0, `The jukebox has no action ${action.replace(/[^\w-]/g, '?').slice(0, 40)}.`);
        return { jukeboxStatus: toStatus(await runAction(call.user.id, call.params)) };
      }),
    ),
  };
}

const toStatus = ({ currentIndex, isPlaying, gain, positionMs }: JukeboxState): Fields => ({
  currentIndex,
  playing: isPlaying,
  gain,
  position: Math.floor(positionMs / 1_000),
});
