// The statements of internet radio stations.
import { asc, count, eq } from 'drizzle-orm';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { RadioStationId } from '../db/ids.ts';
import { radioStations, users } from '../db/schema.ts';

export type RadioStation = typeof radioStations.$inferSelect;
type NewStation = typeof radioStations.$inferInsert;

export function createStationQueries(db: MainDb) {
  return {
    list: (): RadioStation[] =>
      db.select().from(radioStations).orderBy(asc(radioStations.name), asc(radioStations.id)).all(),
    count: (): number => db.select({ count: count() }).from(radioStations).get()?.count ?? 0,
    /**
     * Finds a station. `mayBePrivate` is true if an administrator entered its address, which may be in the local
     * network.
     */
    find: (id: RadioStationId): { station: RadioStation; mayBePrivate: boolean | null } | undefined =>
      db
        .select({ station: radioStations, mayBePrivate: users.isSuperuser })
        .from(radioStations)
        .leftJoin(users, eq(users.id, radioStations.addedBy))
        .where(eq(radioStations.id, id))
        .get(),
    insert: (values: NewStation): RadioStation => writtenRow(db.insert(radioStations).values(values).returning()),
    /** Updates a station; returns undefined when there is no such station. */
    update: (id: RadioStationId, values: Partial<NewStation>): RadioStation | undefined =>
      db.update(radioStations).set(values).where(eq(radioStations.id, id)).returning().all()[0],
    delete: (id: RadioStationId): boolean => db.delete(radioStations).where(eq(radioStations.id, id)).run().changes > 0,
  };
}
