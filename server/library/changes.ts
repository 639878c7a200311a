// What others hear of the library: windows, that lists changed, at most once a second however fast rows come; modules,
// what happened to tracks.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { EventHub } from '../events/hub.ts';
import { createListeners } from '../runtime/listeners.ts';
import { libraryEvent, type LibraryState } from './wire.ts';

const EVERY_MS = 1_000;

export type LibraryChanges = ReturnType<typeof createLibraryChanges>;

export function createLibraryChanges({ db, events }: { db: MainDb; events: EventHub }) {
  const count = db.$client.prepare<[], { tracks: number; albums: number; artists: number }>(
    `SELECT (SELECT coalesce(sum(tracks), 0) FROM library_totals) AS tracks,
      (SELECT count(*) FROM albums) AS albums, (SELECT count(*) FROM artists) AS artists`,
  );
  const [added, audioAdded] = [createListeners<[]>(), createListeners<[ids: readonly TrackId[]]>()];
  const [deleted, audioLost] = [createListeners<[id: TrackId]>(), createListeners<[id: TrackId]>()];
  let version = Date.now(); // grows across restarts too
  let waiting: NodeJS.Timeout | undefined;
  let last = 0;

  const current = (): LibraryState => ({ version, ...(count.get() as Omit<LibraryState, 'version'>) });
  events.summarizeWith(libraryEvent, current);

  function announce(): void {
    waiting = undefined;
    last = performance.now();
    if (db.$client.open) events.publish(libraryEvent, current());
  }

  /** To be called after anything that lists show has changed. */
  function changed(): void {
    version++;
    waiting ??= setTimeout(announce, Math.max(0, last + EVERY_MS - performance.now())).unref();
  }

  return {
    current,
    changed,

    /** Tracks came, with audio or without, or are called something else now. */
    onAdded: added.add,
    added: added.tell,

    /** Tracks came with their audio, one by one or a few; a scan is not told of here. */
    onAudioAdded: audioAdded.add,
    audioAdded(ids: readonly TrackId[]): void {
      added.tell();
      changed();
      audioAdded.tell(ids);
    },

    /** A track was deleted, or merged into another; called inside the transaction. */
    onDeleted: deleted.add,
    deleted: deleted.tell,

    /** A track's audio was not there when it was needed. */
    onAudioLost: audioLost.add,
    audioLost: audioLost.tell,
  };
}
