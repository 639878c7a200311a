// A dry run: makes the decisions of a scan and lists them, without writing rows. The effects of earlier decisions are
// kept in memory, on top of the stored rows.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs, RowOf } from '../db/rows.ts';
import type { sourceFiles, sourceFolders, tracks } from '../db/schema.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { filePathOf } from '../storage/uri.ts';
import { decide, type Decision, type CurrentRows, type SingleOp } from './write/decide.ts';
import { recordDecision, type ScanRecord } from './scan-record.ts';
import type { ScanChanges } from './wire.ts';
import type { WriteBatch } from './write/writer.ts';

/** The number of listed changes of each kind; the counts include all changes. */
const MAX_LISTED_CHANGES = 100;

type TrackLocation = RowOf<typeof tracks, 'id' | 'sourceId' | 'availability' | 'storageUri'>;

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
  const findBySourceId = client
    .prepare<[string, string], TrackId>('SELECT id FROM tracks WHERE source = ? AND source_id = ?')
    .pluck();
  const findTrack = client.prepare<[TrackId], TrackLocation>(
    'SELECT id, source_id, availability, storage_uri FROM tracks WHERE id = ?',
  );
  const listLocations = client.prepare<
    [TrackId],
    RowOf<typeof sourceFolders, 'path'> & RowOf<typeof sourceFiles, 'name'>
  >(
    `SELECT d.path, f.name FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.track_id = ? AND f.state = 'track'`,
  );

  const changes: ScanChanges = { added: [], updated: [], moved: [], missing: [], restored: [] };
  /** Paths at which this scan found files of tracks. */
  const pathByTrack = new Map<TrackId, string>();
  /** Tracks that got a source id in this scan; new tracks have a negative id. */
  const trackBySourceId = new Map<string, TrackId>();
  /** Paths whose stored row is out of date. */
  const outdatedPaths = new Set<string>();
  /** Tracks whose place was taken by the file of a deleted track. */
  const displacedIds = new Set<TrackId>();

  const hasMoved = (id: TrackId): boolean => record.movedIds.has(id) || displacedIds.has(id);
  const sourceIdOfTrack = (id: TrackId): string => findTrack.get(id)?.source_id ?? '';

  const rows: CurrentRows = {
    isAdopted: (id) => record.movedIds.has(id),
    findFile(path, name) {
      const row = findFile.get(source, path, name);
      return row?.trackId != null && hasMoved(row.trackId) ? undefined : row;
    },
    findTrackBySourceId(sourceId) {
      const id = trackBySourceId.get(sourceId) ?? findBySourceId.get(source, sourceId);
      return id !== undefined && hasMoved(id) && trackBySourceId.get(sourceId) !== id ? undefined : id;
    },
    hasOtherFile(id, path, name) {
      const filePath = join(path, name);
      const newPath = pathByTrack.get(id);
      if (newPath !== undefined) return newPath !== filePath;
      return listLocations.all(id).some((location) => {
        const otherPath = join(location.path, location.name);
        return otherPath !== filePath && !outdatedPaths.has(otherPath);
      });
    },
    isInPlace(id) {
      const track = record.movedIds.has(id) ? undefined : findTrack.get(id);
      return track?.availability === 'available' && filePathOf(track.storage_uri ?? '') !== undefined;
    },
    isMissing: (id) => !record.restoredIds.has(id) && findTrack.get(id)?.availability === 'missing',
  };

  function remember(decision: Decision): void {
    if (decision.kind === 'folder') {
      for (const { name } of decision.op.batch.goneFiles) outdatedPaths.add(join(decision.op.batch.path, name));
      return;
    }
    const { path, candidate } = decision.op;
    const filePath = join(path, candidate.name);
    if (decision.kind === 'failed' || decision.kind === 'deleted') outdatedPaths.add(filePath);
    if (decision.kind === 'deleted' && decision.displacedId !== undefined) displacedIds.add(decision.displacedId);
    if (decision.kind === 'updated') pathByTrack.set(decision.trackId, filePath);
    if (decision.kind !== 'moved' && decision.kind !== 'added') return;
    const id = decision.kind === 'moved' ? decision.trackId : ((-1 - record.addedCount) as TrackId);
    outdatedPaths.add(filePath);
    pathByTrack.set(id, filePath);
    trackBySourceId.set(sourceIdOf(path, candidate.name), id);
  }

  function listChange(decision: Decision): void {
    const addLine = <T>(lines: T[], line: T): void => {
      if (lines.length < MAX_LISTED_CHANGES) lines.push(line);
    };
    if (decision.kind === 'folder') {
      for (const id of decision.restoredIds) addLine(changes.restored, sourceIdOfTrack(id));
      return;
    }
    const sourceId = sourceIdOf(decision.op.path, decision.op.candidate.name);
    if (decision.kind === 'added' || (decision.kind === 'split' && !decision.wasSplit))
      addLine(changes.added, sourceId);
    if (decision.kind === 'split' && decision.wasSplit) addLine(changes.updated, sourceId);
    if (decision.kind === 'updated') addLine(changes.updated, sourceId);
    if (decision.kind === 'moved') addLine(changes.moved, { from: sourceIdOfTrack(decision.trackId), to: sourceId });
  }

  function planSingle(op: SingleOp): void {
    const decision = decide(op, rows);
    listChange(decision);
    remember(decision);
    recordDecision(record, decision);
  }

  return {
    plan(ops, from, limitMs) {
      const endTime = performance.now() + limitMs;
      let plannedCount = 0;
      do {
        const op = ops[from + plannedCount++];
        if (!op) break;
        if (op.kind === 'rotation') op.ops.forEach(planSingle);
        else planSingle(op);
      } while (from + plannedCount < ops.length && performance.now() <= endTime);
      return plannedCount;
    },
    changes: () => ({ ...changes, missing: [...record.missingIds].slice(0, MAX_LISTED_CHANGES).map(sourceIdOfTrack) }),
  };
}
