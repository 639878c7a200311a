// Stands in the place of the writer in a dry run: the same walk, the same reading, the same look for tracks whose files
// are gone, and instead of rows a list of what would become of them. It follows scan-writer.ts decision by decision; a
// test holds the two together.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { Availability } from '../db/schema.ts';
import { fileKey, type Displaced } from './identity.ts';
import { sourceIdOf, type ScanOp, type ScanTally } from './writer.ts';
import { join } from '../files/relative-path.ts';
import { type Candidate } from './walk.ts';
import type { ScanChanges } from './wire.ts';

/** Lines of each kind; the counts are whole. */
const LISTED = 100;
const LISTED_FAILURES = 10_000;

interface TrackAt {
  id: TrackId;
  source_id: string;
  availability: Availability;
  storage_uri: string | null;
}
interface FileRow {
  dev: number;
  ino: number;
  size_bytes: number;
  mtime_us: number;
  track_id: TrackId | null;
}
/** A track of this plan that has no row: a new one. */
const NEW = -1;

export function createDryRun({ db, source }: { db: MainDb; source: string }) {
  const client = db.$client;
  const findFile = client.prepare<
    [string, string, string],
    FileRow
  >(`SELECT f.dev, f.ino, f.size_bytes, f.mtime_us, f.track_id FROM source_folders d JOIN source_files f ON f.folder_id = d.id
    WHERE d.source = ? AND d.path = ? AND f.name = ?`);
  const findTrack = client.prepare<[string, string], TrackAt>(
    'SELECT id, source_id, availability, storage_uri FROM tracks WHERE source = ? AND source_id = ?',
  );
  const findTrackById = client.prepare<[TrackId], TrackAt>(
    'SELECT id, source_id, availability, storage_uri FROM tracks WHERE id = ?',
  );
  const listPlaces = client.prepare<[TrackId], { path: string; name: string }>(
    "SELECT d.path, f.name FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE f.track_id = ? AND f.state = 'track'",
  );

  const tally: ScanTally = {
    added: 0,
    updated: 0,
    moved: 0,
    missing: new Set(),
    restored: 0,
    failed: [],
    failedCount: 0,
    changing: [],
    changingCount: 0,
    replaced: [],
  };
  const changes: ScanChanges = { added: [], updated: [], moved: [], missing: [], restored: [] };
  const displaced = new Map<string, TrackId>();
  const adopted = new Set<TrackId>();
  /** By source id, which file this scan found there and whose it would be. */
  const found = new Map<string, { place: string; track: TrackId | typeof NEW }>();
  const gone = new Set<string>();

  const note = <T>(list: T[], line: T): void => {
    if (list.length < LISTED) list.push(line);
  };

  function lose(id: TrackId): void {
    const track = adopted.has(id) ? undefined : findTrackById.get(id);
    if (track?.availability === 'available' && track.storage_uri?.startsWith('file:')) tally.missing.add(id);
  }

  function noteFailed(path: string, name: string, reason: string): void {
    tally.failedCount++;
    if (tally.failed.length < LISTED_FAILURES) tally.failed.push({ source_id: sourceIdOf(path, name), reason });
  }

  function planFolder({ path, gone: left, returned, stillFailed }: Extract<ScanOp, { kind: 'folder' }>['batch']): void {
    for (const { name, trackId } of left) {
      gone.add(join(path, name));
      if (trackId !== null) lose(trackId);
    }
    for (const { trackId } of returned) {
      const track = trackId !== null && !adopted.has(trackId) ? findTrackById.get(trackId) : undefined;
      if (track?.availability !== 'missing') continue;
      tally.restored++;
      note(changes.restored, track.source_id);
    }
    for (const { name, reason } of stillFailed) noteFailed(path, name, reason);
  }

  /** Whose file this place held before; nobody's when that track was found in another place. */
  function holderOf(path: string, name: string): (FileRow & { track_id: TrackId }) | undefined {
    const row = findFile.get(source, path, name);
    return row?.track_id != null && !adopted.has(row.track_id) ? { ...row, track_id: row.track_id } : undefined;
  }

  function adopt(trackId: TrackId, path: string, candidate: Candidate): void {
    const before = holderOf(path, candidate.name);
    if (before && before.track_id !== trackId) {
      displaced.set(
        fileKey({ dev: before.dev, ino: before.ino, sizeBytes: before.size_bytes, mtimeUs: before.mtime_us }),
        before.track_id,
      );
      lose(before.track_id);
    }
    const to = sourceIdOf(path, candidate.name);
    displaced.delete(fileKey(candidate));
    adopted.add(trackId);
    found.set(to, { place: join(path, candidate.name), track: trackId });
    tally.missing.delete(trackId);
    tally.moved++;
    note(changes.moved, { from: findTrackById.get(trackId)?.source_id ?? '', to });
  }

  function planFile({ path, candidate, result, adopt: match }: Extract<ScanOp, { kind: 'file' }>): void {
    const { name } = candidate;
    const sourceId = sourceIdOf(path, name);
    if (!result.ok && result.changing) {
      tally.changingCount++;
      if (tally.changing.length < LISTED_FAILURES) tally.changing.push(sourceId);
      return;
    }
    const fail = (reason: string): void => {
      const holder = holderOf(path, name);
      if (holder) lose(holder.track_id);
      noteFailed(path, name, reason);
    };
    if (!result.ok) return fail(result.reason);
    if (match !== undefined && !adopted.has(match)) return adopt(match, path, candidate);
    const track = holderOf(path, name)?.track_id ?? trackAt(sourceId);
    if (track !== undefined && hasOtherFile(track, sourceId, join(path, name)))
      return fail('another file has the same name but for its Unicode spelling');
    found.set(sourceId, { place: join(path, name), track: track ?? NEW });
    if (track !== undefined && track !== NEW) tally.missing.delete(track);
    if (track === undefined) tally.added++;
    else tally.updated++;
    note(track === undefined ? changes.added : changes.updated, sourceId);
  }

  function trackAt(sourceId: string): TrackId | typeof NEW | undefined {
    const taken = found.get(sourceId);
    if (taken) return taken.track;
    const track = findTrack.get(source, sourceId);
    return track && !adopted.has(track.id) ? track.id : undefined;
  }

  function hasOtherFile(track: TrackId | typeof NEW, sourceId: string, place: string): boolean {
    const taken = found.get(sourceId);
    if (taken) return taken.place !== place;
    return (
      track !== NEW &&
      listPlaces
        .all(track)
        .map(({ path, name }) => join(path, name))
        .some((other) => other !== place && !gone.has(other))
    );
  }

  function plan(op: ScanOp): void {
    if (op.kind === 'folder') planFolder(op.batch);
    else if (op.kind === 'file') planFile(op);
    else if (op.kind === 'moved' && !adopted.has(op.trackId)) adopt(op.trackId, op.path, op.candidate);
  }

  return {
    tally,
    displaced: displaced as Displaced,
    changes(): ScanChanges {
      const missing = [...tally.missing].slice(0, LISTED).map((id) => findTrackById.get(id)?.source_id ?? '');
      return { ...changes, missing };
    },
    /** As the writer's. */
    writeBatch(queue: ScanOp[], from: number, limitMs: number): number {
      const until = performance.now() + limitMs;
      let done = 0;
      while (from + done < queue.length && (done === 0 || performance.now() < until))
        plan(queue[from + done++] as ScanOp);
      return done;
    },
  };
}
