// A backup: a header, objects (objects.ts), and snapshots that name objects. A snapshot is written last, so one that is
// there is complete. The header and the snapshots, without which nothing can be read, are there twice.
import { hash as hashOf, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { parseLimitedJson, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, Lock, makeLock, openLock, plainCipher, type Cipher } from './encryption.ts';
import { FileLine, Manifest, SnapshotId } from './manifest.ts';
import { createObjects } from './objects.ts';
import { gathered, isDamage, seal, unlessDamaged, unseal } from './packs.ts';
import { HEADER, HEADER_COPY, type BackupTarget } from './target.ts';

const Header = z.object({
  /** In the first format every object is a file; those stay, and new ones are in packs. */
  tonearm_backup: z.union([z.literal(1), z.literal(2)]),
  id: z.uuid(),
  /** Id of the library, see db/library-identity.ts. */
  library: z.uuid().nullable().default(null),
  lock: Lock.nullable(),
  /** SHA-256 of the rest. */
  sum: z.string().optional(),
});
type Header = z.output<typeof Header>;

const MAX_HEADER_BYTES = 64 << 10;
const { manifest: MANIFEST, list: LIST, line: LINE } = TEXT_LIMITS.backup;
/** Lines parsed before requests get a turn. */
const LINES_PER_TURN = 500;

/** Deletions leave it, for prune(). `now`: a person deleted the snapshot and waits for the space. */
const UNUSED = { later: 'unused/later', now: 'unused/now' };
const CHECKS = 'checks';

interface RepositoryOptions {
  target: BackupTarget;
  passphrase: string | undefined;
  /** Create the backup if there is none. */
  isNew?: boolean;
  /** Id of the library that is going to write; a backup of another library is refused. */
  library?: string | undefined;
}

export type Repository = Awaited<ReturnType<typeof openRepository>>;

/**
 * Throws `not_found` when there is no backup, `forbidden` when the passphrase is missing or wrong, and `conflict` when
 * the backup is not encrypted though a passphrase is set, or belongs to another library.
 */
export async function openRepository({ target, passphrase, isNew = false, library }: RepositoryOptions) {
  const found = await readHeader(target);
  if (!found && !isNew) throw new AppError('not_found', `There is no backup in ${target.name}.`);
  const { header, cipher } = found
    ? { header: found.header, cipher: await unlock(found.header, passphrase, target.name) }
    : await begin(target, passphrase, library);
  if (library !== undefined && (header.library ?? library) !== library)
    throw new AppError(
      'conflict',
      `The backup in ${target.name} belongs to another library, whose old snapshots would be deleted. ` +
        'Choose another place for this one.',
    );
  return repositoryOf(target, header, cipher, found?.isFirst !== true);
}

const copyOf = (id: string): string => `copies/${id}`;

/** `isFirst`: not the copy. */
async function readHeader(target: BackupTarget): Promise<{ header: Header; isFirst: boolean } | undefined> {
  const first = await headerAt(target, HEADER);
  if (first && first !== 'damaged') return { header: first, isFirst: true };
  const second = await headerAt(target, HEADER_COPY);
  if (second && second !== 'damaged') return { header: second, isFirst: false };
  if (!first && !second) return undefined;
  throw new AppError(
    'unavailable',
    `The file ${HEADER} in ${target.name} is damaged or from a newer version. The backup needs it.`,
  );
}

async function headerAt(target: BackupTarget, key: string): Promise<Header | 'damaged' | undefined> {
  try {
    const bytes = await target.read(key, MAX_HEADER_BYTES);
    const { data } = Header.safeParse(parseJson(bytes));
    const isWhole = data && (data.sum === undefined ? data.tonearm_backup === 1 : headerText(data).equals(bytes));
    return isWhole ? data : 'damaged';
  } catch (error) {
    if (error instanceof DamagedObject) return 'damaged';
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const headerSum = (header: Header): string => hashOf('sha256', JSON.stringify({ ...header, sum: undefined }));
const headerText = (header: Header): Buffer =>
  Buffer.from(`${JSON.stringify({ ...header, sum: headerSum(header) })}\n`);

/** Two that begin at once in the same place both go on with the header that stays; `prepare` notices. */
async function begin(
  target: BackupTarget,
  passphrase: string | undefined,
  library: string | undefined,
): Promise<{ header: Header; cipher: Cipher }> {
  const { lock, cipher } = passphrase === undefined ? { lock: null, cipher: plainCipher } : await makeLock(passphrase);
  const header: Header = { tonearm_backup: 2, id: randomUUID(), library: library ?? null, lock };
  await target.put(HEADER_COPY, headerText(header)); // first, so that one that is there has a copy
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
    throw new AppError('forbidden', `The backup in ${name} is encrypted. Set its passphrase (BACKUP_PASSPHRASE).`);
  return openLock(lock, passphrase);
}

/** `isUnsure`: the header was written just now, or came from its copy. */
function repositoryOf(target: BackupTarget, header: Header, cipher: Cipher, isUnsure: boolean) {
  const objects = createObjects(target, cipher, header.tonearm_backup === 1);
  const mendedHeaders: string[] = [];

  /** Throws `unavailable` when the header is another one: two servers began a backup in the same place at once. */
  async function settleHeader(): Promise<void> {
    const found = await readHeader(target);
    if (found && found.header.id !== header.id)
      throw new AppError('unavailable', `The backup in ${target.name} was replaced by another one. Try again.`);
    if (found?.isFirst === true) return;
    await target.put(HEADER, headerText(header));
    mendedHeaders.push(HEADER);
  }

  const sealedAt = async (key: string): Promise<unknown> =>
    unseal(cipher, await target.read(key, MANIFEST.bytes), 'manifest');

  /** Throws `not_found` and DamagedObject. */
  async function manifestAt(key: string, id: string): Promise<Manifest> {
    const manifest = Manifest.parse(await sealedAt(key));
    if (manifest.id !== id) throw new DamagedObject('it belongs to another snapshot');
    return manifest;
  }

  async function readSnapshot(id: string): Promise<Manifest> {
    if (!SnapshotId.safeParse(id).success) throw notFound('snapshot', id);
    try {
      return await manifestAt(snapshotKey(id), id);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return await manifestAt(copyOf(id), id).catch((cause: unknown) => {
        if (!isDamage(cause)) throw cause;
        if (error instanceof AppError) throw notFound('snapshot', id);
        throw new AppError('unavailable', `The snapshot ${id} in ${target.name} is damaged.`, { cause: error });
      });
    }
  }

  /** The files of a snapshot. Throws DamagedObject. */
  async function* readFiles({ lists }: Pick<Manifest, 'lists'>): AsyncGenerator<FileLine> {
    for (const sha256 of new Set(lists.map((list) => list.sha256))) yield* readList(sha256);
  }

  async function* readList(sha256: string): AsyncGenerator<FileLine> {
    const list = await gathered(objects.read(sha256), LIST.bytes);
    let n = 0;
    for (let at = 0, end = 0; at < list.length; at = end + 1) {
      end = list.indexOf('\n', at);
      if (end < 0) end = list.length;
      if (n++ % LINES_PER_TURN === 0) await nextTurn();
      if (end - at > LINE.bytes) throw new DamagedObject('a line of it is too long');
      if (end > at) yield FileLine.parse(parseLimitedJson(list.toString('utf8', at, end), LINE));
    }
  }

  async function idsBelow(prefix: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of target.list(prefix)) {
      const id = key.slice(prefix.length);
      if (SnapshotId.safeParse(id).success) ids.push(id);
    }
    return ids;
  }

  /** Newest first; also those of which only the copy is there. */
  const snapshotIds = async (): Promise<string[]> =>
    [...new Set([...(await idsBelow('snapshots/')), ...(await copiedIds())])].sort().reverse();
  const copiedIds = (): Promise<string[]> => idsBelow('copies/');

  async function unusedSince(): Promise<{ now: boolean; at: Date } | undefined> {
    let found: { now: boolean; at: Date } | undefined;
    for await (const { key, modifiedAt } of target.list('unused/'))
      found = { now: found?.now === true || key === UNUSED.now, at: modifiedAt };
    return found;
  }

  return {
    id: header.id,
    name: target.name,
    isEncrypted: header.lock !== null,
    target,
    objects,
    unlistedPacks: objects.unlisted,
    has: objects.has,
    read: objects.read,
    readSnapshot,
    readFiles,
    readList,
    snapshotIds,
    unusedSince,

    /** Before anything is written. */
    async prepare() {
      if (isUnsure) await settleHeader();
      return objects.prepare();
    },

    async writeSnapshot(manifest: Manifest): Promise<void> {
      const sealed = await seal(cipher, manifest);
      await target.put(copyOf(manifest.id), sealed);
      await target.put(snapshotKey(manifest.id), sealed);
    },

    /** Writes snapshots of which a kill left only the copy, which is written first. */
    async finishSnapshots(): Promise<void> {
      const ids = new Set(await idsBelow('snapshots/'));
      for (const id of await copiedIds()) {
        const manifest = ids.has(id) ? undefined : await unlessDamaged(manifestAt(copyOf(id), id));
        if (manifest) await target.put(snapshotKey(id), await seal(cipher, manifest));
      }
    },

    /** `isNow`: the next backup frees the space, not one of the next days. False when there was no such snapshot. */
    async deleteSnapshot(id: string, { isNow }: { isNow: boolean }): Promise<boolean> {
      if (!SnapshotId.safeParse(id).success) return false;
      const before = await unusedSince();
      if (isNow && before?.now !== true) await target.put(UNUSED.now, Buffer.from('\n'));
      else if (!before) await target.put(UNUSED.later, Buffer.from('\n'));
      const hadCopy = await target.delete(copyOf(id)); // first: a copy without its snapshot is taken for a loss
      return (await target.delete(snapshotKey(id))) || hadCopy;
    },

    async forgetUnused(): Promise<void> {
      for await (const { key } of target.list('unused/')) await target.delete(key);
    },

    /** Writes the header and the snapshots again where one of the two is damaged or gone; names what is lost. */
    async mendCopies(): Promise<{ mended: string[]; lost: string[] }> {
      const [mended, lost]: [string[], string[]] = [[...mendedHeaders], []];
      for (const key of [HEADER, HEADER_COPY]) {
        const found = await headerAt(target, key);
        if (found && found !== 'damaged') continue;
        if (header.sum === undefined && key !== HEADER) continue; // the first format has one only
        await target.put(key, headerText(header));
        mended.push(key);
      }
      for (const id of await snapshotIds()) {
        const keys = [snapshotKey(id), copyOf(id)];
        const found = await Promise.all(keys.map((key) => unlessDamaged(manifestAt(key, id))));
        const good = found.find((one) => one !== undefined);
        if (!good) lost.push(`snapshot ${id}`);
        for (const [n, key] of keys.entries()) {
          if (!good || found[n]) continue;
          await target.put(key, await seal(cipher, good));
          mended.push(key);
        }
      }
      return { mended, lost };
    },

    /** What checks left to remember; undefined when it is not there or damaged. */
    async readChecks(): Promise<unknown> {
      return unlessDamaged(sealedAt(CHECKS));
    },
    async writeChecks(checks: unknown): Promise<void> {
      await target.put(CHECKS, await seal(cipher, checks));
    },
  };
}

const snapshotKey = (id: string): string => `snapshots/${id}`;

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
