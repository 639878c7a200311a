// Which library this is. A place for backups belongs to one: the retention of another would take away snapshots it
// knows nothing of.
import { randomUUID } from 'node:crypto';
import type { MainDb } from '../db/client.ts';
import { libraryIdentity } from '../db/schema.ts';

/** Made when it is first asked for. */
export function libraryId(db: MainDb): string {
  return db.transaction(
    (tx) => {
      const found = tx.select().from(libraryIdentity).get();
      return (found ?? tx.insert(libraryIdentity).values({ id: randomUUID() }).returning().get()).id;
    },
    { behavior: 'immediate' },
  );
}
