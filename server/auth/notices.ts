// Notices for administrators, left by migrations. Each is shown until it is dismissed, which deletes it.
import { asc, eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import { notices, type NoticeName } from '../db/schema.ts';
import { notFound } from '../errors.ts';

export type Notice = typeof notices.$inferSelect;

export const createNotices = (db: MainDb) => ({
  list: (): Notice[] => db.select().from(notices).orderBy(asc(notices.createdAt)).all(),
  /** Deletes a notice that was read. Throws `not_found`. */
  dismiss(name: NoticeName): void {
    if (db.delete(notices).where(eq(notices.name, name)).run().changes === 0) throw notFound('notice', name);
  },
});
