// Announces changes of the library: tells clients, at most once a second, that lists changed, and tells other modules
// what happened to tracks.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { EventHub } from '../events/hub.ts';
import { createListeners } from '../runtime/listeners.ts';
import { libraryEvent, type LibraryState } from './wire.ts';

const ANNOUNCEMENT_INTERVAL_MS = 1_000;

export function createLibraryChanges({ db, events }: { db: MainDb; events: EventHub }) {
  const count = db.$client.prepare<[], { tracks: number; albums: number; artists: number }>(
    `SELECT (SELECT coalesce(sum(tracks), 0) FROM library_totals) AS tracks,
      (SELECT count(*) FROM albums) AS albums, (SELECT count(*) FROM artists) AS artists`,
  );
  const [addedListeners, audioAddedListeners] = [createListeners<[]>(), createListeners<[ids: readonly TrackId[]]>()];
  const editListeners = createListeners<[]>();
  const [deletedListeners, restoredListeners] = [createListeners<[id: TrackId]>(), createListeners<[id: TrackId]>()];
  const [audioLostListeners, audioReturnedListeners] = [
    createListeners<[id: TrackId]>(),
    createListeners<[id: TrackId]>(),
  ];
  let version = Date.now(); // the version also grows across restarts
  let timer: NodeJS.Timeout | undefined;
  let lastAnnouncedAt = 0;

  const current = (): LibraryState => ({ version, ...(count.get() as Omit<LibraryState, 'version'>) });
  events.summarizeWith(libraryEvent, current);

  function announce(): void {
    timer = undefined;
    lastAnnouncedAt = performance.now();
    if (db.$client.open) events.publish(libraryEvent, current());
  }

  /** Announces that something shown in lists has changed. */
  function announceChange(): void {
    version++;
    timer ??= setTimeout(announce, Math.max(0, lastAnnouncedAt + ANNOUNCEMENT_INTERVAL_MS - performance.now())).unref();
  }

  return {
    current,
    /** Returns the version of the library, which grows with each change. */
    version: (): number => version,
    announceChange,

    /** Announces an edit, which may have created or removed albums. */
    onEdited: editListeners.add,
    announceEdit(): void {
      announceChange();
      editListeners.notify();
    },

    /** Tells listeners that tracks were added, with or without audio, or renamed. */
    onAdded: addedListeners.add,
    announceAdded: addedListeners.notify,

    /** Tells listeners that one or a few tracks were added with their audio. Scans do not call this. */
    onAudioAdded: audioAddedListeners.add,
    announceAudioAdded(ids: readonly TrackId[]): void {
      addedListeners.notify();
      announceChange();
      audioAddedListeners.notify(ids);
    },

    /** Tells listeners that a track was deleted or merged into another. Called inside the transaction. */
    onDeleted: deletedListeners.add,
    announceDeleted: deletedListeners.notify,

    /** Tells listeners that a deleted track was restored. Called inside the transaction. */
    onRestored: restoredListeners.add,
    announceRestored: restoredListeners.notify,

    /** Tells listeners that a track's audio turned out to be missing. */
    onAudioLost: audioLostListeners.add,
    announceAudioLost: audioLostListeners.notify,

    /** Tells listeners that a track's missing audio was found again. */
    onAudioReturned: audioReturnedListeners.add,
    announceAudioReturned: audioReturnedListeners.notify,
  };
}
