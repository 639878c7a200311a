// ETags of lists. An ETag names everything that a list depends on, so an unchanged list is recognized without being
// read.
import { hash, randomUUID } from 'node:crypto';
import type { WatchedSettings } from '../config/live-settings.ts';
import { SETTING_NAMES } from '../config/settings.ts';
import type { MainDb } from '../db/client.ts';
import { dataVersionOf } from '../db/data-version.ts';
import type { Principal } from './route.ts';

interface ListVersionDeps {
  db: MainDb;
  settings: Pick<WatchedSettings, 'onChange'>;
  /** Counts what changes lists without being written, such as a music folder that goes offline. */
  changes: { version: () => number };
}

/**
 * Returns a function whose text changes with every write to the database, every setting, every change of the library
 * and every start of the server.
 */
export function createListVersion({ db, settings, changes }: ListVersionDeps): () => string {
  const startId = randomUUID();
  const dataVersion = dataVersionOf(db.$client);
  let settingsVersion = 0;
  settings.onChange(SETTING_NAMES, () => void settingsVersion++);
  return () => [startId, dataVersion.current(), changes.version(), settingsVersion].join();
}

/**
 * Returns the ETag of a list without `W/`; undefined for a list in random order. It is sent as a weak ETag, because the
 * compressed and the plain list have the same one. It must be made before the list is read: a write in between then
 * makes the ETag too old, and not the list.
 */
export function listEtag(version: string, { id, isSuperuser, rights }: Principal, url: string, query: unknown) {
  const { sort, seed } = (query ?? {}) as { sort?: string; seed?: number };
  if (sort === 'random' && seed === undefined) return undefined;
  return `"${hash('sha256', JSON.stringify([version, id, isSuperuser, rights, url]), 'base64url')}"`;
}
