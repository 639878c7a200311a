// Fills columns that a migration added, from the tags of files that were read before the migration; scans do not read
// unchanged files again. Runs in the background and continues after a restart. No existing value is replaced. Audio in
// an object store is left out, because it would have to be downloaded completely.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { whenUnlocked } from '../db/wait-for-unlock.ts';
import type { RowAs } from '../db/rows.ts';
import type { tagsAgain, tracks } from '../db/schema.ts';
import type { MoreTags } from '../db/more-tags.ts';
import { foldedFrom, foldedName, TAGGED_FIELDS, type KnownFields } from '../db/track-fields.ts';
import { AppError } from '../errors.ts';
import { foldedText } from '../library/tracks/sort-and-identity-keys.ts';
import type { Log } from '../log/log.ts';
import { USUAL_CHARSET } from '../media/charset.ts';
import { UnreadableAudio } from '../media/types.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { nameToText } from '../storage/file-names.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

interface RereadDeps {
  db: MainDb;
  audioStore: Pick<AudioStore, 'resolve'>;
  readTags: (path: string, sourceId: string) => Promise<FileFields>;
  setMore: (id: TrackId, moreTags: MoreTags) => void;
  updateCredits: (id: TrackId) => void;
  libraryChanged: () => void;
  log: Log;
}

type StoredTrack = RowAs<typeof tracks, 'id' | 'sourceId'> & { storageUri: string };

type FileFields = KnownFields & { charset?: string | undefined; more?: MoreTags | null | undefined };

/** Number of tracks in a batch, which is read in a few milliseconds. */
const BATCH_TRACKS = 20;

/** Returns SQL that fills a column only if it is empty and no person has emptied it. */
const fillExpression = (column: string, field: string): string =>
  `${column} = iif(provenance ->> '${field}' IS NULL, coalesce(${column}, @${column}), ${column})`;
const FOLDED_COLUMNS = foldedFrom((field) => ({ field, column: foldedName(field) }));
const FILL_ASSIGNMENTS = [
  'charset = coalesce(charset, @charset)',
  ...TAGGED_FIELDS.map(({ field, name }) => fillExpression(name, field)),
  ...Object.values(FOLDED_COLUMNS).map(({ field, column }) => fillExpression(column, field)),
].join(', ');

/**
 * Reads tags again. Resolves when all files have been read, when no file of a batch can be read at present, or when the
 * database is closed.
 */
export async function rereadTags(deps: RereadDeps): Promise<void> {
  const { db, log, libraryChanged, setMore, updateCredits } = deps;
  const client = db.$client;
  const progress = client
    .prepare<[], RowAs<typeof tagsAgain, 'lastId' | 'upToId'>>(
      'SELECT last_id AS lastId, up_to_id AS upToId FROM tags_again',
    )
    .get();
  if (!progress) return;
  log.info({ up_to: progress.upToId }, 'reading tags again for new fields');
  const listNextTracks = client.prepare<[number, number, number], StoredTrack>(
    `SELECT id, source_id AS sourceId, storage_uri AS storageUri FROM tracks
    WHERE id > ? AND id <= ? AND storage_uri IS NOT NULL AND section_start IS NULL AND availability = 'available'
      ORDER BY id LIMIT ?`,
  );
  const fillTrack = client.prepare(
    `UPDATE tracks SET ${FILL_ASSIGNMENTS} WHERE id = @id AND storage_uri = @storageUri`,
  );
  const saveProgress = client.prepare('UPDATE tags_again SET last_id = ?');
  const writeBatch = client.transaction((rows: { track: StoredTrack; fields: FileFields }[], lastId: number): void => {
    for (const { track, fields } of rows) {
      const { changes } = fillTrack.run({ ...valuesOf(fields), id: track.id, storageUri: track.storageUri });
      if (changes === 0) continue;
      if (fields.more) setMore(track.id, fields.more);
      else updateCredits(track.id);
    }
    saveProgress.run(lastId);
  }).immediate;

  let filledCount = 0;
  for (let lastId = progress.lastId; ;) {
    const batch = listNextTracks.all(lastId, progress.upToId, BATCH_TRACKS);
    const lastTrack = batch.at(-1);
    if (!lastTrack) break;
    const rows: { track: StoredTrack; fields: FileFields }[] = [];
    let unreachable = 0;
    for (const track of batch) {
      const fields = await fieldsOf(deps, track);
      if (!client.open) return;
      if (fields === 'unreachable') unreachable++;
      else if (
        fields &&
        (fields.charset !== undefined || fields.more || TAGGED_FIELDS.some(({ field }) => fields[field] !== undefined))
      )
        rows.push({ track, fields });
      await yieldIfDue();
      if (!client.open) return;
    }
    if (unreachable === batch.length) return; // the disk is not connected; the next start continues here
    await whenUnlocked(
      () => writeBatch(rows, lastTrack.id),
      () => client.open,
    );
    filledCount += rows.length;
    lastId = lastTrack.id;
  }
  await whenUnlocked(
    () => client.exec('DELETE FROM tags_again'),
    () => client.open,
  );
  if (!client.open) return;
  log.info({ tracks: filledCount }, 'read tags again for new fields');
  if (filledCount > 0) libraryChanged();
}

/** Returns the fields in the tags of a file; undefined when the audio is not in a local file. */
async function fieldsOf(
  { audioStore, readTags }: RereadDeps,
  { storageUri, sourceId }: StoredTrack,
): Promise<FileFields | 'unreachable' | undefined> {
  try {
    const { path } = await audioStore.resolve(storageUri);
    if (path === undefined) return undefined;
    return await readTags(typeof path === 'string' ? path : nameToText(path), sourceId);
  } catch (error) {
    if (error instanceof UnreadableAudio) return undefined;
    if (error instanceof AppError) return error.code === 'unavailable' ? 'unreachable' : undefined;
    throw error;
  }
}

const valuesOf = (fields: FileFields): Record<string, string | number | null> =>
  Object.fromEntries([
    // charsets were not detected when the file was first read, so the usual charset was used
    ['charset', fields.charset === undefined ? null : USUAL_CHARSET],
    ...TAGGED_FIELDS.map(({ field, name }) => [name, fields[field] ?? null] as const),
    ...Object.values(FOLDED_COLUMNS).map(({ field, column }) => [column, foldedText(fields[field])] as const),
  ]);
