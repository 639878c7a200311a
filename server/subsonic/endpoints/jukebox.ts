// jukeboxControl: a client controls a window of Tonearm that is offered as a speaker.
import type { TrackId, UserId } from '../../db/ids.ts';
import type { JukeboxService, JukeboxState } from '../../jukebox/service.ts';
import type { LibraryService } from '../../library/service.ts';
import { needs, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missing } from '../errors.ts';
import { parseId } from '../ids.ts';
import { rowsOf } from '../list-slices.ts';
import type { Params } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface JukeboxDeps {
  jukebox: JukeboxService;
  library: Pick<LibraryService, 'tracksById'>;
}

export function jukeboxEndpoints({ jukebox, library }: JukeboxDeps): Endpoints {
  function songsOf(params: Params, userId: UserId): TrackId[] {
    const ids = params
      .all('id')
      .map((text) => parseId(text))
      .flatMap((item) => (item?.kind === 'track' ? [item.id] : []));
    return library.tracksById(userId, ids).map(({ id }) => id);
  }

  const ACTIONS: Record<string, (userId: UserId, params: Params) => JukeboxState> = {
    status: (id) => jukebox.status(id),
    set: (id, params) => jukebox.set(id, songsOf(params, id)),
    add: (id, params) => jukebox.add(id, songsOf(params, id)),
    clear: (id) => jukebox.clear(id),
    remove: (id, params) => jukebox.remove(id, params.requiredInt('index')),
    start: (id) => jukebox.start(id),
    stop: (id) => jukebox.stop(id),
    skip: (id, params) => jukebox.skip(id, params.requiredInt('index'), Math.max(0, params.int('offset') ?? 0) * 1_000),
    shuffle: (id) => jukebox.shuffle(id),
    setGain(id, params) {
      const gain = params.number('gain');
      if (gain === undefined) throw missing('gain');
      return jukebox.setGain(id, gain);
    },
  };

  async function playlist({ user: { id }, shapes }: Call): Promise<Fields> {
    const state = jukebox.status(id);
    const tracks = await rowsOf(state.trackIds, (ids) => library.tracksById(id, ids));
    return { ...toStatus(state), entry: tracks.map((track) => shapes.song(track)) };
  }

  return {
    jukeboxControl: needs(
      'canJukebox',
      user(async (call) => {
        const action = call.params.required('action');
        if (action === 'get') return { jukeboxPlaylist: await playlist(call) };
        const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
        if (!run) throw new Fault(0, `The jukebox has no action ${action.replace(/[^\w-]/g, '?').slice(0, 40)}.`);
        return { jukeboxStatus: toStatus(run(call.user.id, call.params)) };
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
