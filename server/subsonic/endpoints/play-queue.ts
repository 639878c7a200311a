// Endpoints of the play queue, which a user's devices share.
import type { TrackId } from '../../db/ids.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PlayQueue, QueueService } from '../../playback/queue.ts';
import { mapInSlices } from '../../runtime/time-slices.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { toId, trackIdOf } from '../ids.ts';
import { listOfIds } from '../list-slices.ts';
import { listed } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface PlayQueueDeps {
  library: LibraryService;
  queue: QueueService;
}

export function playQueueEndpoints({ library, queue }: PlayQueueDeps): Endpoints {
  async function savedQueue(
    { user: { id, username }, shapes }: Call,
    place: (queue: PlayQueue) => Fields,
  ): Promise<Fields> {
    const saved = await queue.get(id);
    return {
      ...(saved.trackIds.length > 0 && { ...place(saved), position: saved.positionMs }),
      username,
      changed: saved.updatedAt ?? new Date(0),
      changedBy: saved.client ?? '',
      entry: listOfIds(
        saved.trackIds,
        (ids) => library.tracksById(id, ids),
        (track) => shapes.song(track),
      ),
    };
  }

  /**
   * Clears the queue if there are no ids. What is no song, such as an episode, is left out; a queue of nothing else
   * leaves the saved one as it is. `place` is in the list that was sent.
   */
  async function saveQueue(
    { params, user: { id }, client }: Call,
    place: (found: readonly (TrackId | undefined)[]) => number,
  ): Promise<typeof NOTHING> {
    const found = await mapInSlices(listed(params, 'id'), trackIdOf);
    const trackIds = found.filter((trackId) => trackId !== undefined);
    if (trackIds.length === 0 && found.length > 0) return NOTHING;
    const at = found.length === 0 ? 0 : place(found);
    const before = found.slice(0, at).filter((trackId) => trackId !== undefined).length;
    await queue.save(id, {
      trackIds,
      currentIndex: Math.max(0, Math.min(before, trackIds.length - 1)),
      positionMs: found.length > 0 && found[at] === undefined ? 0 : Math.max(0, params.int('position') ?? 0),
      listening: null,
      client,
    });
    return NOTHING;
  }

  return {
    getPlayQueue: user(async (call) => ({
      playQueue: await savedQueue(call, ({ trackIds, currentIndex }) => ({
        current: toId('track', trackIds[currentIndex] as TrackId),
      })),
    })),
    getPlayQueueByIndex: user(async (call) => ({
      playQueueByIndex: await savedQueue(call, ({ currentIndex }) => ({ currentIndex })),
    })),

    savePlayQueue: user((call) =>
      saveQueue(call, (found) => {
        const current = call.params.required('current');
        const at = Math.max(found.indexOf(trackIdOf(current)), call.params.all('id').indexOf(current));
        if (at < 0) throw new Fault(10, 'The parameter current must be one of the ids.');
        return at;
      }),
    ),
    savePlayQueueByIndex: user((call) =>
      saveQueue(call, (found) => {
        const index = call.params.requiredInt('currentIndex');
        if (index < 0 || index >= found.length) throw new Fault(10, 'The parameter currentIndex is outside the queue.');
        return index;
      }),
    ),
  };
}
