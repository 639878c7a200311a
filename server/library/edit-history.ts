// What edits by hand replaced, for 30 days. An edit is undone by writing what was there before, which is an edit too,
// so that undoing can be undone. An album or artist that lost its last track by the edit comes back under its old id.
import { randomUUID } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lt, max, min, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { TrackEditId, TrackId, UserId } from '../db/ids.ts';
import { trackEdits, tracks, users, type MetadataStatus } from '../db/schema.ts';
import { FIELD_LIST } from '../db/track-fields.ts';
import { AppError, conflict, notFound } from '../errors.ts';
import { inSlices } from '../runtime/turns.ts';
import { prepareKnownTracks } from './track-identity.ts';
import { createTrackSnapshots, type Parents } from './track-snapshot.ts';
import { KEPT_MS } from './trash.ts';
import type { TrackIdentity, TrackWriter } from './track-writer.ts';

export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}
interface Before {
  identity: TrackIdentity;
  status: MetadataStatus;
  error: string | null;
  parents: Parents;
}
export interface TrackEdit extends Omit<typeof trackEdits.$inferSelect, 'before' | 'changes'> {
  changes: FieldChange[];
  userName: string | null;
  /** Tracks of the same batch that still can be undone. */
  batchSize: number;
}

/** Who edits, and which edits are made together. */
export interface Edited {
  by: UserId;
  batch?: string | undefined;
}

export interface UndoneEdits {
  /** That undoes the undoing. */
  batch: string;
  undone: TrackId[];
  failed: { id: TrackId; detail: string }[];
}

const AT_ONCE = 200;

export interface EditHistoryDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'sweepEmpty' | 'search'>;
  now: () => Date;
}

export type EditHistory = ReturnType<typeof createEditHistory>;

export function createEditHistory({ db, tracks: writer, now }: EditHistoryDeps) {
  const findKnown = prepareKnownTracks(db.$client);
  const snapshots = createTrackSnapshots(db.$client);
  const oldest = (): Date => new Date(now().getTime() - KEPT_MS);

  /** Does the work, and keeps what it replaces. Throws what the work throws, and `not_found`. */
  function record<T>({ by, batch }: Edited, id: TrackId, work: () => T): T {
    return db.transaction(
      (tx) => {
        const [known, parents] = [findKnown(id), snapshots.takeParents(id)];
        if (!known || !parents) throw notFound('track', id);
        const done = work();
        const changes = changesOf(known.identity, findKnown(id)?.identity);
        if (changes.length > 0)
          tx.insert(trackEdits)
            .values({
              trackId: id,
              userId: sql<UserId | null>`(SELECT id FROM users WHERE id = ${by})`, // it may have been deleted meanwhile
              batch: batch ?? null,
              changes,
              // lyrics are not edited by hand, and may be long
              before: {
                identity: { ...known.identity, lyrics: undefined },
                status: known.status,
                error: known.error,
                // the album's picture may be gone by then, and is looked for again
                parents: { ...parents, albumCovers: [] },
              } satisfies Before,
              createdAt: now(),
            })
            .run();
        return done;
      },
      { behavior: 'immediate' },
    );
  }

  function putBack(tx: Db, edited: Edited, row: typeof trackEdits.$inferSelect): void {
    const before = row.before as Before;
    record(edited, row.trackId, () => {
      snapshots.bringParents(before.parents);
      writer.batch(() => writer.setIdentity(row.trackId, before.identity, findKnown(row.trackId)?.folder));
      tx.update(tracks)
        .set({ metadataStatus: before.status, metadataError: before.error, updatedAt: now() })
        .where(eq(tracks.id, row.trackId))
        .run();
      const idsOf = (rows: Parents['albums']): number[] => rows.map((one) => Number(one['id']));
      for (const id of idsOf(before.parents.albums)) writer.search.set('album', id);
      for (const id of idsOf(before.parents.artists)) writer.search.set('artist', id);
      writer.sweepEmpty(idsOf(before.parents.albums) as never, idsOf(before.parents.artists) as never);
    });
  }

  const findLatest = (tx: Db, id: TrackId): TrackEditId | undefined =>
    tx
      .select({ id: trackEdits.id })
      .from(trackEdits)
      .where(eq(trackEdits.trackId, id))
      .orderBy(desc(trackEdits.id))
      .limit(1)
      .get()?.id;

  return {
    record,

    /** The latest first. */
    list(id: TrackId): TrackEdit[] {
      const { before: _, ...columns } = getTableColumns(trackEdits);
      return db
        .select({
          ...columns,
          userName: users.username,
          batchSize: sql<number>`CASE WHEN ${trackEdits.batch} IS NULL THEN 1 ELSE (SELECT count(DISTINCT b.track_id)
            FROM track_edits b WHERE b.batch = ${trackEdits.batch}) END`,
        })
        .from(trackEdits)
        .leftJoin(users, eq(users.id, trackEdits.userId))
        .where(and(eq(trackEdits.trackId, id), gt(trackEdits.createdAt, oldest())))
        .orderBy(desc(trackEdits.id))
        .limit(AT_ONCE)
        .all()
        .map((row) => ({ ...row, changes: row.changes as FieldChange[] }));
    },

    /** Back to what was before that edit, whatever came after. Throws `not_found`. */
    undo(by: UserId, trackId: TrackId, id: TrackEditId): void {
      db.transaction(
        (tx) => {
          const ofTrack = and(eq(trackEdits.id, id), eq(trackEdits.trackId, trackId));
          const row = tx
            .select()
            .from(trackEdits)
            .where(and(ofTrack, gt(trackEdits.createdAt, oldest())))
            .get();
          if (!row) throw notFound('edit', id);
          putBack(tx, { by }, row);
        },
        { behavior: 'immediate' },
      );
    },

    /**
     * Of a batch, each track that nobody has edited since. `assertMay` throws for a track that may not be edited.
     * Throws `not_found` when there is nothing to undo.
     */
    async undoBatch(by: UserId, batch: string, assertMay: (id: TrackId) => void): Promise<UndoneEdits> {
      const rows = db
        .select({ trackId: trackEdits.trackId, first: min(trackEdits.id), last: max(trackEdits.id) })
        .from(trackEdits)
        .where(and(eq(trackEdits.batch, batch), gt(trackEdits.createdAt, oldest())))
        .groupBy(trackEdits.trackId)
        .all();
      if (rows.length === 0) throw notFound('edit', batch);
      const outcome: UndoneEdits = { batch: `undo-${randomUUID()}`, undone: [], failed: [] };
      await inSlices(rows, ({ trackId, first, last }) => {
        try {
          db.transaction(
            (tx) => {
              assertMay(trackId);
              const row =
                first === null ? undefined : tx.select().from(trackEdits).where(eq(trackEdits.id, first)).get();
              if (!row) throw notFound('edit', batch);
              if (findLatest(tx, trackId) !== last) throw conflict('The track was edited again since.');
              putBack(tx, { by, batch: outcome.batch }, row);
            },
            { behavior: 'immediate' },
          );
          outcome.undone.push(trackId);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          outcome.failed.push({ id: trackId, detail: error.message });
        }
      });
      return outcome;
    },

    isBatch: (batch: string): boolean =>
      db.select({ id: trackEdits.id }).from(trackEdits).where(eq(trackEdits.batch, batch)).limit(1).get() !== undefined,

    purgeOld: (): void => void db.delete(trackEdits).where(lt(trackEdits.createdAt, oldest())).run(),
  };
}

const TEXTS = ['title', 'artist', 'album', 'albumArtist'] as const;

/** What is different, in words. */
function changesOf(before: TrackIdentity, after: TrackIdentity | undefined): FieldChange[] {
  if (!after) return [];
  const valuesOf = (identity: TrackIdentity): Map<string, string | null> =>
    new Map([
      ...TEXTS.map((field): [string, string | null] => [FIELD_NAMES[field], identity[field] ?? null]),
      ['artists', identity.artists.join('; ')],
      ['genre', identity.genres.join('; ') || null],
      ...FIELD_LIST.map((field): [string, string | null] => [
        tracks[field].name,
        identity[field] === undefined || identity[field] === null ? null : String(identity[field]),
      ]),
    ]);
  const old = valuesOf(before);
  return [...valuesOf(after)].flatMap(([field, value]) =>
    old.get(field) === value ? [] : [{ field, before: old.get(field) ?? null, after: value }],
  );
}
const FIELD_NAMES = { title: 'title', artist: 'artist', album: 'album', albumArtist: 'album_artist' };
