// Fills columns that a migration added, from the tags of files that were read before it; scans do not read unchanged
// files again. Runs in the background and continues after a restart. Replaces no values. Leaves out audio in an object
// store, which would have to be downloaded whole.
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

interface TagsAgainDeps {
  db: MainDb;
  audioStore: Pick<AudioStore, 'resolve'>;
  readTags: (path: string, sourceId: string) => Promise<Reread>;
  setMore: (id: TrackId, more: MoreTags) => void;
  libraryChanged: () => void;
  log: Log;
}

type Old = RowAs<typeof tracks, 'id' | 'sourceId'> & { storageUri: string };

type Reread = KnownFields & { charset?: string | undefined; more?: MoreTags | null | undefined };

/** Read in a few milliseconds. */
const AT_ONCE = 20;

/** Only columns that are empty, and were not emptied by hand. */
const filled = (column: string, field: string): string =>
  `${column} = iif(provenance ->> '${field}' IS NULL, coalesce(${column}, @${column}), ${column})`;
const FOLDED = foldedFrom((field) => ({ field, column: foldedName(field) }));
const FILL = [
  'charset = coalesce(charset, @charset)',
  ...TAGGED_FIELDS.map(({ field, name }) => filled(name, field)),
  ...Object.values(FOLDED).map(({ field, column }) => filled(column, field)),
].join(', ');

/** Resolves when all files are read, when none of the next ones can be read now, or when the database is closed. */
export async function readTagsAgain(deps: TagsAgainDeps): Promise<void> {
  const { db, log, libraryChanged, setMore } = deps;
  const client = db.$client;
  const left = client
    .prepare<[], RowAs<typeof tagsAgain, 'lastId' | 'upToId'>>(
      'SELECT last_id AS lastId, up_to_id AS upToId FROM tags_again',
    )
    .get();
  if (!left) return;
  log.info({ up_to: left.upToId }, 'tags are read again for new fields');
  const next = client.prepare<[number, number, number], Old>(
    `SELECT id, source_id AS sourceId, storage_uri AS storageUri FROM tracks
    WHERE id > ? AND id <= ? AND storage_uri IS NOT NULL AND section_start IS NULL AND availability = 'available'
      ORDER BY id LIMIT ?`,
  );
  const fill = client.prepare(`UPDATE tracks SET ${FILL} WHERE id = @id AND storage_uri = @storageUri`);
  const note = client.prepare('UPDATE tags_again SET last_id = ?');
  const write = client.transaction((rows: { old: Old; fields: Reread }[], last: number): void => {
    for (const { old, fields } of rows) {
      const { changes } = fill.run({ ...valuesOf(fields), id: old.id, storageUri: old.storageUri });
      if (changes > 0 && fields.more) setMore(old.id, fields.more);
    }
    note.run(last);
  }).immediate;

  let found = 0;
  for (let after = left.lastId; ;) {
    const some = next.all(after, left.upToId, AT_ONCE);
    const last = some.at(-1);
    if (!last) break;
    const rows: { old: Old; fields: Reread }[] = [];
    let unreachable = 0;
    for (const old of some) {
      const fields = await fieldsOf(deps, old);
      if (!client.open) return;
      if (fields === 'unreachable') unreachable++;
      else if (
        fields &&
        (fields.charset !== undefined || fields.more || TAGGED_FIELDS.some(({ field }) => fields[field] !== undefined))
      )
        rows.push({ old, fields });
      await yieldIfDue();
      if (!client.open) return;
    }
    if (unreachable === some.length) return; // their disk is not connected; continues at the next start
    await whenUnlocked(
      () => write(rows, last.id),
      () => client.open,
    );
    found += rows.length;
    after = last.id;
  }
  await whenUnlocked(
    () => client.exec('DELETE FROM tags_again'),
    () => client.open,
  );
  if (!client.open) return;
  log.info({ tracks: found }, 'tags were read again');
  if (found > 0) libraryChanged();
}

/** Undefined when there is nothing to read. */
async function fieldsOf(
  { audioStore, readTags }: TagsAgainDeps,
  { storageUri, sourceId }: Old,
): Promise<Reread | 'unreachable' | undefined> {
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

const valuesOf = (fields: Reread): Record<string, string | number | null> =>
  Object.fromEntries([
    // as text without a declared charset was read before its charset was detected
    ['charset', fields.charset === undefined ? null : USUAL_CHARSET],
    ...TAGGED_FIELDS.map(({ field, name }) => [name, fields[field] ?? null] as const),
    ...Object.values(FOLDED).map(({ field, column }) => [column, foldedText(fields[field])] as const),
  ]);
