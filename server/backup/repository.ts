// A backup consists of a header, objects (objects.ts), and snapshots that name objects. A snapshot is written last, so
// an existing snapshot is complete. The header and the snapshots are stored twice, because nothing can be read without
// them.
import { hash as hashOf, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { parseLimitedJson, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, Lock, makeLock, openLock, plainCipher, type Cipher } from './encryption.ts';
import { FileLine, Manifest, SnapshotId } from './manifest.ts';
import { createObjects } from './objects.ts';
import { readBytes, isDamage, seal, unlessDamaged, unseal } from './packs.ts';
import { HEADER, HEADER_COPY, type BackupTarget } from './target.ts';
import { bindContext } from '../runtime/bind-context.ts';

const Header = z.object({
  /** In the first format every object is a file. These files stay, and new objects are written into packs. */
  tonearm_backup: z.union([z.literal(1), z.literal(2)]),
  id: z.uuid(),
  /** Id of the library that is backed up, see db/library-identity.ts. */
  library: z.uuid().nullable().default(null),
  lock: Lock.nullable(),
  /** SHA-256 of the other fields of the header. */
  sum: z.string().optional(),
});
type Header = z.output<typeof Header>;

const MAX_HEADER_BYTES = 64 << 10;
const { manifest: MANIFEST_LIMITS, list: LIST_LIMITS, line: LINE_LIMITS } = TEXT_LIMITS.backup;
/** Number of lines that are parsed before other requests get a turn. */
const LINES_PER_TURN = 500;

/**
 * Files that tell prune() that there may be unused objects. `now` is written when a person deleted a snapshot and waits
 * for the space.
 */
const UNUSED_KEYS = { later: 'unused/later', now: 'unused/now' };
const CHECKS_KEY = 'checks';

interface RepositoryOptions {
  target: BackupTarget;
  passphrase: string | undefined;
  /** Whether to create the backup if it does not exist. */
  isNew?: boolean;
  /** Id of the library that is going to be backed up; a backup of another library is refused. */
  library?: string | undefined;
}

export type Repository = Awaited<ReturnType<typeof openRepository>>;

/**
 * Opens a backup. Throws `not_found` when it does not exist, `forbidden` when the passphrase is missing or wrong, and
 * `conflict` when the backup is not encrypted though a passphrase is set, or when it belongs to another library.
 */
export async function openRepository({ target, passphrase, isNew = false, library }: RepositoryOptions) {
  const storedHeader = await readHeader(target);
  if (!storedHeader && !isNew) throw new AppError('not_found', `There is no backup in ${target.name}.`);
  const { header, cipher } = storedHeader
    ? { header: storedHeader.header, cipher: await unlock(storedHeader.header, passphrase, target.name) }
    : await createBackup(target, passphrase, library);
  if (library !== undefined && (header.library ?? library) !== library)
    throw new AppError(
      'conflict',
      `The backup in ${target.name} belongs to another library, whose old snapshots would be deleted. ` +
        'Choose another place for this library.',
    );
  return createRepository(target, header, cipher, storedHeader?.isFirst !== true);
}

const copyOf = (id: string): string => `copies/${id}`;

/** Reads the header. `isFirst` is false if it was read from its copy. */
async function readHeader(target: BackupTarget): Promise<{ header: Header; isFirst: boolean } | undefined> {
  const firstHeader = await readHeaderAt(target, HEADER);
  if (firstHeader && firstHeader !== 'damaged') return { header: firstHeader, isFirst: true };
  const copiedHeader = await readHeaderAt(target, HEADER_COPY);
  if (copiedHeader && copiedHeader !== 'damaged') return { header: copiedHeader, isFirst: false };
  if (!firstHeader && !copiedHeader) return undefined;
  throw new AppError(
    'unavailable',
    `The file ${HEADER} in ${target.name} is damaged or from a newer version. The backup needs it.`,
  );
}

async function readHeaderAt(target: BackupTarget, key: string): Promise<Header | 'damaged' | undefined> {
  try {
    const bytes = await target.read(key, MAX_HEADER_BYTES);
    const { data } = Header.safeParse(parseJson(bytes));
    const isIntact = data && (data.sum === undefined ? data.tonearm_backup === 1 : headerText(data).equals(bytes));
    return isIntact ? data : 'damaged';
  } catch (error) {
    if (error instanceof DamagedObject) return 'damaged';
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const headerSum = (header: Header): string => hashOf('sha256', JSON.stringify({ ...header, sum: undefined }));
const headerText = (header: Header): Buffer =>
  Buffer.from(`${JSON.stringify({ ...header, sum: headerSum(header) })}\n`);

/**
 * Writes the header of a new backup. If two servers do this at the same time, both later find the header that was
 * written last: `prepare` compares it.
 */
async function createBackup(
  target: BackupTarget,
  passphrase: string | undefined,
  library: string | undefined,
): Promise<{ header: Header; cipher: Cipher }> {
  const { lock, cipher } = passphrase === undefined ? { lock: null, cipher: plainCipher } : await makeLock(passphrase);
  const header: Header = { tonearm_backup: 2, id: randomUUID(), library: library ?? null, lock };
  // the copy is written first, so that every existing header has a copy
  await target.put(HEADER_COPY, headerText(header));
  await target.put(HEADER, headerText(header));
  return { header, cipher };
}

async function unlock({ lock }: Header, passphrase: string | undefined, name: string): Promise<Cipher> {
  if (lock === null && passphrase === undefined) return plainCipher;
  if (lock === null)
    throw new AppError(
      'conflict',
      `The backup in ${name} is not encrypted, but a passphrase is set. Remove the passphrase, or choose an empty ` +
        'folder for an encrypted backup.',
    );
  if (passphrase === undefined)
    throw new AppError('forbidden', `The backup in ${name} is encrypted. Set its passphrase.`);
  return openLock(lock, passphrase);
}

/** `isUnsure` says that the header was just written, or was read from its copy. */
function createRepository(target: BackupTarget, header: Header, cipher: Cipher, isUnsure: boolean) {
  const context = createContext(target, header, cipher, isUnsure);

  return {
    ...bindContext(context, {
      prepare,
      writeSnapshot,
      finishSnapshots,
      deleteSnapshot,
      deleteUnusedMarks,
      repairCopies,
      readChecks,
      writeChecks,
      readSnapshot,
      readFiles,
      readList,
      snapshotIds,
      readUnused,
    }),
    id: context.header.id,
    name: context.target.name,
    isEncrypted: context.header.lock !== null,
    target: context.target,
    objects: context.objects,
    countUnlistedPacks: context.objects.countUnlistedPacks,
    has: context.objects.has,
    read: context.objects.read,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(target: BackupTarget, header: Header, cipher: Cipher, isUnsure: boolean) {
  const objects = createObjects(target, cipher, header.tonearm_backup === 1);
  const mendedHeaders: string[] = [];
  return { target, header, cipher, isUnsure, objects, mendedHeaders };
}

/** Throws `unavailable` when the header was replaced, because two servers began a backup in the same place. */
async function confirmHeader(context: Context): Promise<void> {
  const storedHeader = await readHeader(context.target);
  if (storedHeader && storedHeader.header.id !== context.header.id)
    throw new AppError('unavailable', `The backup in ${context.target.name} was replaced by another one. Try again.`);
  if (storedHeader?.isFirst === true) return;
  await context.target.put(HEADER, headerText(context.header));
  context.mendedHeaders.push(HEADER);
}

const readSealed = async ({ cipher, target }: Context, key: string): Promise<unknown> =>
  unseal(cipher, await target.read(key, MANIFEST_LIMITS.bytes), 'manifest');

/** Reads the manifest of a snapshot. Throws `not_found` and DamagedObject. */
async function readManifestAt(context: Context, key: string, id: string): Promise<Manifest> {
  const manifest = Manifest.parse(await readSealed(context, key));
  if (manifest.id !== id) throw new DamagedObject('it belongs to another snapshot');
  return manifest;
}

async function readSnapshot(context: Context, id: string): Promise<Manifest> {
  if (!SnapshotId.safeParse(id).success) throw notFound('snapshot', id);
  try {
    return await readManifestAt(context, snapshotKey(id), id);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return await readManifestAt(context, copyOf(id), id).catch((cause: unknown) => {
      if (!isDamage(cause)) throw cause;
      if (error instanceof AppError) throw notFound('snapshot', id);
      throw new AppError('unavailable', `The snapshot ${id} in ${context.target.name} is damaged.`, { cause: error });
    });
  }
}

/** Yields the files of a snapshot. Throws DamagedObject. */
async function* readFiles(context: Context, { lists }: Pick<Manifest, 'lists'>): AsyncGenerator<FileLine> {
  for (const sha256 of new Set(lists.map((list) => list.sha256))) yield* readList(context, sha256);
}

async function* readList(context: Context, sha256: string): AsyncGenerator<FileLine> {
  const list = await readBytes(context.objects.read(sha256), LIST_LIMITS.bytes);
  let lineCount = 0;
  for (let start = 0, end = 0; start < list.length; start = end + 1) {
    end = list.indexOf('\n', start);
    if (end < 0) end = list.length;
    if (lineCount++ % LINES_PER_TURN === 0) await nextTurn();
    if (end - start > LINE_LIMITS.bytes) throw new DamagedObject('a line of it is too long');
    if (end > start) yield FileLine.parse(parseLimitedJson(list.toString('utf8', start, end), LINE_LIMITS));
  }
}

async function listIds(context: Context, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key } of context.target.list(prefix)) {
    const id = key.slice(prefix.length);
    if (SnapshotId.safeParse(id).success) ids.push(id);
  }
  return ids;
}

/** Returns the ids of all snapshots, newest first, including those of which only the copy exists. */
const snapshotIds = async (context: Context): Promise<string[]> =>
  [...new Set([...(await listIds(context, 'snapshots/')), ...(await listCopiedIds(context))])].sort().reverse();

const listCopiedIds = (context: Context): Promise<string[]> => listIds(context, 'copies/');

async function readUnused(context: Context): Promise<{ now: boolean; markedAt: Date } | undefined> {
  let unusedMark: { now: boolean; markedAt: Date } | undefined;
  for await (const { key, modifiedAt } of context.target.list('unused/'))
    unusedMark = { now: unusedMark?.now === true || key === UNUSED_KEYS.now, markedAt: modifiedAt };
  return unusedMark;
}

/** Prepares the repository for writing. */
async function prepare(context: Context) {
  if (context.isUnsure) await confirmHeader(context);
  return context.objects.prepare();
}

async function writeSnapshot({ cipher, target }: Context, manifest: Manifest): Promise<void> {
  const sealed = await seal(cipher, manifest);
  await target.put(copyOf(manifest.id), sealed);
  await target.put(snapshotKey(manifest.id), sealed);
}

/** Writes the snapshots of which only the copy exists: the copy is written first, so a kill can leave it alone. */
async function finishSnapshots(context: Context): Promise<void> {
  const ids = new Set(await listIds(context, 'snapshots/'));
  for (const id of await listCopiedIds(context)) {
    const manifest = ids.has(id) ? undefined : await unlessDamaged(readManifestAt(context, copyOf(id), id));
    if (manifest) await context.target.put(snapshotKey(id), await seal(context.cipher, manifest));
  }
}

/**
 * Deletes a snapshot; returns false when it did not exist. With `isNow` the next backup frees the space, otherwise
 * a later one does.
 */
async function deleteSnapshot(context: Context, id: string, { isNow }: { isNow: boolean }): Promise<boolean> {
  if (!SnapshotId.safeParse(id).success) return false;
  const unusedMark = await readUnused(context);
  if (isNow && unusedMark?.now !== true) await context.target.put(UNUSED_KEYS.now, Buffer.from('\n'));
  else if (!unusedMark) await context.target.put(UNUSED_KEYS.later, Buffer.from('\n'));
  // the copy is deleted first, because a copy without its snapshot counts as a lost snapshot
  const hadCopy = await context.target.delete(copyOf(id));
  return (await context.target.delete(snapshotKey(id))) || hadCopy;
}

async function deleteUnusedMarks({ target }: Context): Promise<void> {
  for await (const { key } of target.list('unused/')) await target.delete(key);
}

/**
 * Writes the header and the snapshots again if one of their two files is damaged or missing. Reports what is lost.
 */
async function repairCopies(context: Context): Promise<{ mended: string[]; lost: string[] }> {
  const [mended, lost]: [string[], string[]] = [[...context.mendedHeaders], []];
  for (const key of [HEADER, HEADER_COPY]) {
    const storedHeader = await readHeaderAt(context.target, key);
    if (storedHeader && storedHeader !== 'damaged') continue;
    if (context.header.sum === undefined && key !== HEADER) continue; // headers of the first format have no copy
    await context.target.put(key, headerText(context.header));
    mended.push(key);
  }
  for (const id of await snapshotIds(context)) {
    const keys = [snapshotKey(id), copyOf(id)];
    const manifests = await Promise.all(keys.map((key) => unlessDamaged(readManifestAt(context, key, id))));
    const goodManifest = manifests.find((manifest) => manifest !== undefined);
    if (!goodManifest) lost.push(`snapshot ${id}`);
    for (const [index, key] of keys.entries()) {
      if (!goodManifest || manifests[index]) continue;
      await context.target.put(key, await seal(context.cipher, goodManifest));
      mended.push(key);
    }
  }
  return { mended, lost };
}

/** Returns the stored state of checks; undefined when it does not exist or is damaged. */
async function readChecks(context: Context): Promise<unknown> {
  return unlessDamaged(readSealed(context, CHECKS_KEY));
}

async function writeChecks({ target, cipher }: Context, checks: unknown): Promise<void> {
  await target.put(CHECKS_KEY, await seal(cipher, checks));
}

const snapshotKey = (id: string): string => `snapshots/${id}`;

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
