// A dry run: the decisions of a scan as lists, without rows. What the decisions before would have written is kept in
// memory, over the rows as they are.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs, RowOf } from '../db/rows.ts';
import type { sourceFiles, sourceFolders, tracks } from '../db/schema.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { filePathOf } from '../storage/uri.ts';
import { decide, type Decision, type Known, type SingleOp } from './decide.ts';
import { recordDecision, type ScanRecord } from './scan-record.ts';
import type { ScanChanges } from './wire.ts';
import type { WriteBatch } from './writer.ts';

/** Lines of each kind; the counts are whole. */
const LISTED = 100;

type TrackAt = RowOf<typeof tracks, 'id' | 'sourceId' | 'availability' | 'storageUri'>;

interface DryRunDeps {
  db: MainDb;
  source: string;
  record: ScanRecord;
}

export function createDryRun({ db, source, record }: DryRunDeps): { plan: WriteBatch; changes: () => ScanChanges } {
  const client = db.$client;
  const findFile = client.prepare<[string, string, string], RowAs<typeof sourceFiles, 'trackId' | 'state'>>(
    `SELECT f.track_id AS trackId, f.state
      FROM source_folders d JOIN source_files f ON f.folder_id = d.id
      WHERE d.source = ? AND d.path = ? AND f.name = ?`,
  );
  const findNamed = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findTrack = client.prepare<[TrackId], TrackAt>(
    'SELECT id, source_id, availability, storage_uri FROM tracks WHERE id = ?',
  );
  const listPlaces = client.prepare<[TrackId], RowOf<typeof sourceFolders, 'path'> & RowOf<typeof sourceFiles, 'name'>>(
    `SELECT d.path, f.name FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.track_id = ? AND f.state = 'track'`,
  );

  const changes: ScanChanges = { added: [], updated: [], moved: [], missing: [], restored: [] };
  /** Where this scan found a file of the track. */
  const placeOf = new Map<TrackId, string>();
  /** Tracks that got a name in this scan; new ones have a negative id. */
  const named = new Map<string, TrackId>();
  /** Places whose row is out of date. */
  const changed = new Set<string>();
  /** Tracks whose place was given to the file of a deleted one. */
  const displaced = new Set<TrackId>();

  const isElsewhere = (id: TrackId): boolean => record.adopted.has(id) || displaced.has(id);
  const sourceIdOfTrack = (id: TrackId): string => findTrack.get(id)?.source_id ?? '';

  const known: Known = {
    isAdopted: (id) => record.adopted.has(id),
    fileAt(path, name) {
      const row = findFile.get(source, path, name);
      return row?.trackId != null && isElsewhere(row.trackId) ? undefined : row;
    },
    trackNamed(sourceId) {
      const id = named.get(sourceId) ?? findNamed.get(source, sourceId);
      return id !== undefined && isElsewhere(id) && named.get(sourceId) !== id ? undefined : id;
    },
    hasOtherFile(id, path, name) {
      const here = join(path, name);
      const place = placeOf.get(id);
      if (place !== undefined) return place !== here;
      return listPlaces.all(id).some((other) => {
        const there = join(other.path, other.name);
        return there !== here && !changed.has(there);
      });
    },
    isInPlace(id) {
      const track = record.adopted.has(id) ? undefined : findTrack.get(id);
      return track?.availability === 'available' && filePathOf(track.storage_uri ?? '') !== undefined;
    },
    isMissing: (id) => !record.restored.has(id) && findTrack.get(id)?.availability === 'missing',
  };

  function remember(decision: Decision): void {
    if (decision.kind === 'folder') {
      for (const { name } of decision.op.batch.gone) changed.add(join(decision.op.batch.path, name));
      return;
    }
    const { path, candidate } = decision.op;
    const place = join(path, candidate.name);
    if (decision.kind === 'failed' || decision.kind === 'deleted') changed.add(place);
    if (decision.kind === 'deleted' && decision.displaced !== undefined) displaced.add(decision.displaced);
    if (decision.kind === 'updated') placeOf.set(decision.trackId, place);
    if (decision.kind !== 'moved' && decision.kind !== 'added') return;
    const id = decision.kind === 'moved' ? decision.trackId : ((-1 - record.added) as TrackId);
    changed.add(place);
    placeOf.set(id, place);
    named.set(sourceIdOf(path, candidate.name), id);
  }

  function list(decision: Decision): void {
    const note = <T>(lines: T[], line: T): void => {
      if (lines.length < LISTED) lines.push(line);
    };
    if (decision.kind === 'folder') {
      for (const id of decision.restored) note(changes.restored, sourceIdOfTrack(id));
      return;
    }
    const sourceId = sourceIdOf(decision.op.path, decision.op.candidate.name);
    if (decision.kind === 'added' || (decision.kind === 'split' && !decision.isKnown)) note(changes.added, sourceId);
    if (decision.kind === 'split' && decision.isKnown) note(changes.updated, sourceId);
    if (decision.kind === 'updated') note(changes.updated, sourceId);
    if (decision.kind === 'moved') note(changes.moved, { from: sourceIdOfTrack(decision.trackId), to: sourceId });
  }

  function planOne(op: SingleOp): void {
    const decision = decide(op, known);
    list(decision);
    remember(decision);
    recordDecision(record, decision);
  }

  return {
    plan(ops, from, limitMs) {
      const until = performance.now() + limitMs;
      let done = 0;
      do {
        const op = ops[from + done++];
        if (!op) break;
        if (op.kind === 'rotation') op.ops.forEach(planOne);
        else planOne(op);
      } while (from + done < ops.length && performance.now() <= until);
      return done;
    },
    changes: () => ({ ...changes, missing: [...record.missing].slice(0, LISTED).map(sourceIdOfTrack) }),
  };
}
