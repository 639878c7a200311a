// The version of what the database contains, by which caches and ETags notice that something was written.
import type { Sqlite } from './client.ts';

export interface DataVersion {
  /** Returns a text that changes with every write, by this connection or another, except those in `hide`. */
  current: () => string;
  /** Runs a write of what is neither cached nor in a list with an ETag, such as the time of last use. */
  hide: (write: () => void) => void;
}

const versions = new WeakMap<Sqlite, DataVersion>();

/** Returns the version of the data of this connection. */
export function dataVersionOf(client: Sqlite): DataVersion {
  const version = versions.get(client) ?? createDataVersion(client);
  versions.set(client, version);
  return version;
}

function createDataVersion(client: Sqlite): DataVersion {
  const countChanges = client.prepare<[], number>('SELECT total_changes()').pluck();
  const version = client
    .prepare<[number], string>("SELECT (total_changes() - ?) || ':' || (SELECT data_version FROM pragma_data_version)")
    .pluck();
  let hiddenChanges = 0;
  return {
    current: () => version.get(hiddenChanges) as string,
    hide(write) {
      const changesBefore = countChanges.get() as number;
      try {
        write();
      } finally {
        hiddenChanges += (countChanges.get() as number) - changesBefore;
      }
    },
  };
}
