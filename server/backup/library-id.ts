// The id of this library. A backup belongs to one library, because the retention of another would delete its snapshots.
import { randomUUID } from 'node:crypto';
import type { MainDb } from '../db/client.ts';
import { libraryIdentity } from '../db/schema.ts';

/** Created on first use. */
export function libraryId(db: MainDb): string {
  return db.transaction(
    (tx) => {
      const found = tx.select().from(libraryIdentity).get();
      return (found ?? tx.insert(libraryIdentity).values({ id: randomUUID() }).returning().get()).id;
    },
    { behavior: 'immediate' },
  );
}
