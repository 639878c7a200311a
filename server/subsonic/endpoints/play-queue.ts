// Endpoints of the play queue, which a user's devices share.
import type { TrackId } from '../../db/ids.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PlayQueue, QueueService } from '../../playback/queue.ts';
import { mapInSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { toId, trackIdOf } from '../ids.ts';
import { listOfIds } from '../list-slices.ts';
import { readList } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface PlayQueueDeps {
  library: LibraryService;
  queue: QueueService;
}

export function playQueueEndpoints({ library, queue }: PlayQueueDeps): Endpoints {
  async function savedQueue(
    { user: { id, username }, shapes }: Call,
    toPosition: (queue: PlayQueue) => Fields,
  ): Promise<Fields> {
    const saved = await queue.get(id);
    return {
      ...(saved.trackIds.length > 0 && { ...toPosition(saved), position: saved.positionMs }),
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
   * Saves the queue; clears it if there are no ids. Ids that are no songs of the library, such as those of episodes and
   * deleted songs, are left out, and a queue without any song leaves the saved queue unchanged. `findIndex` returns an
   * index into the ids that were sent.
   */
  async function saveQueue(
    { params, user: { id }, client }: Call,
    findIndex: (sentIds: readonly (TrackId | undefined)[]) => number,
  ): Promise<typeof EMPTY_PAYLOAD> {
    const songIds = await mapInSlices(readList(params, 'id'), trackIdOf);
    const existingIds = await library.findExistingTracks(songIds.filter((trackId) => trackId !== undefined));
    const sentIds = songIds.map((trackId) => (trackId !== undefined && existingIds.has(trackId) ? trackId : undefined));
    const trackIds = sentIds.filter((trackId) => trackId !== undefined);
    if (trackIds.length === 0 && sentIds.length > 0) return EMPTY_PAYLOAD;
    const sentIndex = sentIds.length === 0 ? 0 : findIndex(sentIds);
    const songsAhead = sentIds.slice(0, sentIndex).filter((trackId) => trackId !== undefined).length;
    await queue.save(id, {
      trackIds,
      currentIndex: Math.max(0, Math.min(songsAhead, trackIds.length - 1)),
      positionMs: sentIds.length > 0 && sentIds[sentIndex] === undefined ? 0 : Math.max(0, params.int('position') ?? 0),
      listening: null,
      client,
    });
    return EMPTY_PAYLOAD;
  }

  return {
    getPlayQueue: userEndpoint(async (call) => ({
      playQueue: await savedQueue(call, ({ trackIds, currentIndex }) => ({
        current: toId('track', trackIds[currentIndex] as TrackId),
      })),
    })),
    getPlayQueueByIndex: userEndpoint(async (call) => ({
      playQueueByIndex: await savedQueue(call, ({ currentIndex }) => ({ currentIndex })),
    })),

    savePlayQueue: userEndpoint((call) =>
      saveQueue(call, (sentIds) => {
        const current = call.params.required('current');
        const index = Math.max(sentIds.indexOf(trackIdOf(current)), call.params.all('id').indexOf(current));
        if (index < 0) throw new Fault(10, 'The parameter current must be one of the ids.');
        return index;
      }),
    ),
    savePlayQueueByIndex: userEndpoint((call) =>
      saveQueue(call, (sentIds) => {
        const index = call.params.requiredInt('currentIndex');
        if (index < 0 || index >= sentIds.length)
          throw new Fault(10, 'The parameter currentIndex is outside the queue.');
        return index;
      }),
    ),
  };
}
