// Tells windows that lists changed, at most once a second however fast rows come.
import type { MainDb } from '../db/client.ts';
import type { EventHub } from '../events/hub.ts';
import { libraryEvent, type LibraryState } from './wire.ts';

const EVERY_MS = 1_000;

export function createChangeEvents({ db }: { db: MainDb }) {
  const count = db.$client.prepare<[], { tracks: number; albums: number; artists: number }>(
    'SELECT (SELECT coalesce(sum(tracks), 0) FROM library_totals) AS tracks, (SELECT count(*) FROM albums) AS albums, (SELECT count(*) FROM artists) AS artists',
  );
  let version = Date.now(); // grows across restarts too
  const current = (): LibraryState => ({ version, ...(count.get() as Omit<LibraryState, 'version'>) });

  return {
    current,
    /** Gives the function that rooms call after they changed something. */
    announcer(events: Pick<EventHub, 'publish'>): () => void {
      let waiting: NodeJS.Timeout | undefined;
      let last = 0;
      const announce = (): void => {
        waiting = undefined;
        last = performance.now();
        if (db.$client.open) events.publish(libraryEvent, current());
      };
      return () => {
        version++;
        waiting ??= setTimeout(announce, Math.max(0, last + EVERY_MS - performance.now())).unref();
      };
    },
  };
}
