// The contents of a backup: a header, objects named by the hash of their content, and snapshots that list objects. An
// object is written once and is either complete or absent, which makes backups incremental and resumable.
import { createHash, hash as hashOf, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { DamagedObject, Lock, makeLock, openLock, plainCipher, type Cipher } from './encryption.ts';
import { FileLine, hashInBackup, Manifest, SnapshotId } from './manifest.ts';
import { HEADER, type BackupTarget } from './target.ts';

const Header = z.object({
  tonearm_backup: z.literal(1),
  id: z.uuid(),
  /** Id of the library, see db/library-identity.ts. */
  library: z.uuid().nullable().default(null),
  lock: Lock.nullable(),
});
type Header = z.output<typeof Header>;

const MAX_HEADER_BYTES = 64 << 10;
const MAX_MANIFEST_BYTES = 64 << 20;
/** Lines parsed before requests get a turn. */
const LINES_PER_TURN = 500;

/** The source could not be read, as opposed to the backup not being writable. */
export class SourceProblem extends Error {
  override name = 'SourceProblem';
}

export interface RepositoryOptions {
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
    ? { header: found, cipher: await unlock(found, passphrase, target.name) }
    : await begin(target, passphrase, library);
  if (library !== undefined && (header.library ?? library) !== library)
    throw new AppError(
      'conflict',
      `The backup in ${target.name} belongs to another library, whose old snapshots would be deleted. ` +
        'Choose another place for this one.',
    );
  return repositoryOf(target, header, cipher);
}

async function readHeader(target: BackupTarget): Promise<Header | undefined> {
  if (!(await target.stat(HEADER))) return undefined;
  const bytes = await readAll((await target.open(HEADER)).stream as AsyncIterable<Buffer>, MAX_HEADER_BYTES);
  const header = Header.safeParse(parseJson(bytes));
  if (!header.success)
    throw new AppError(
      'unavailable',
      `The file ${HEADER} in ${target.name} is damaged or from a newer version. The backup needs it.`,
    );
  return header.data;
}

async function begin(
  target: BackupTarget,
  passphrase: string | undefined,
  library: string | undefined,
): Promise<{ header: Header; cipher: Cipher }> {
  const { lock, cipher } = passphrase === undefined ? { lock: null, cipher: plainCipher } : await makeLock(passphrase);
  const header: Header = { tonearm_backup: 1, id: randomUUID(), library: library ?? null, lock };
  await target.put(HEADER, Buffer.from(`${JSON.stringify(header, null, 2)}\n`));
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

function repositoryOf(target: BackupTarget, header: Header, cipher: Cipher) {
  /** Sizes of objects by name, after `list()`. */
  const present = new Map<string, number>();
  const writing = new Map<string, Promise<number>>();

  const keyOf = (hash: string): string => keyOfName(cipher.nameOf(hash));

  const has = (hash: string, size: number | null): boolean => {
    const found = present.get(cipher.nameOf(hash));
    return found !== undefined && (size === null || found === cipher.sizeOf(size));
  };

  /**
   * Stores an object and returns its plain size. Throws SourceProblem when the source cannot be read or does not match
   * the hash. Concurrent calls for the same hash write it once.
   */
  function put(hash: string, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<number> {
    const done = writing.get(hash) ?? write(hash, source, signal).finally(() => writing.delete(hash));
    writing.set(hash, done);
    return done;
  }

  async function write(hash: string, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<number> {
    let size = 0;
    async function* checked(): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of checking(source, hash)) {
          size += chunk.length;
          yield chunk;
        }
      } catch (cause) {
        throw new SourceProblem(cause instanceof Error ? cause.message : String(cause), { cause });
      }
    }
    const stored = await target.put(
      keyOf(hash),
      Readable.from(cipher.encrypt(checked()), { objectMode: false }),
      signal && { signal },
    );
    present.set(cipher.nameOf(hash), stored.size);
    return size;
  }

  /** The bytes of an object. Throws `not_found`, and DamagedObject at the end when they do not match the hash. */
  async function* read(hash: string): AsyncGenerator<Buffer> {
    const { stream } = await target.open(keyOf(hash));
    try {
      yield* checking(cipher.decrypt(stream as AsyncIterable<Buffer>), hash);
    } finally {
      stream.destroy();
    }
  }

  async function readSnapshot(id: string): Promise<Manifest> {
    if (!SnapshotId.safeParse(id).success || !(await target.stat(snapshotKey(id)))) throw notFound('snapshot', id);
    const { stream } = await target.open(snapshotKey(id));
    try {
      const text = (await readAll(cipher.decrypt(stream as AsyncIterable<Buffer>), MAX_MANIFEST_BYTES)).toString(
        'utf8',
      );
      const [sum, body] = [text.slice(0, 64), text.slice(65)];
      const manifest = hashOf('sha256', body) === sum ? Manifest.safeParse(parseJson(Buffer.from(body))) : undefined;
      if (manifest?.success && manifest.data.id === id) return manifest.data;
      throw new DamagedObject('its checksum is wrong');
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError('unavailable', `The snapshot ${id} in ${target.name} is damaged.`, { cause });
    } finally {
      stream.destroy();
    }
  }

  /** The files of a snapshot. Throws DamagedObject. */
  async function* readFiles({ lists }: Pick<Manifest, 'lists'>): AsyncGenerator<FileLine> {
    for (const { sha256 } of lists) {
      const text = (await readAll(read(sha256), MAX_MANIFEST_BYTES)).toString('utf8');
      for (const [n, line] of text.split('\n').entries()) {
        if (n % LINES_PER_TURN === 0) await nextTurn();
        if (line !== '') yield FileLine.parse(JSON.parse(line));
      }
    }
  }

  async function snapshotIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of target.list('snapshots/')) {
      const id = key.slice('snapshots/'.length);
      if (SnapshotId.safeParse(id).success) ids.push(id);
    }
    return ids.sort().reverse();
  }

  return {
    id: header.id,
    name: target.name,
    isEncrypted: header.lock !== null,
    has,
    put,
    read,
    readSnapshot,
    readFiles,
    snapshotIds,

    /** Must be called once before `has`. */
    async list(): Promise<void> {
      present.clear();
      for await (const { key, size } of target.list('objects/')) present.set(key.slice(key.lastIndexOf('/') + 1), size);
    },

    /** Stores bytes unless they are there, and returns their hash. */
    async putBytes(bytes: Buffer, signal?: AbortSignal): Promise<string> {
      const hash = hashOf('sha256', bytes);
      if (!has(hash, bytes.length)) await put(hash, oneChunk(bytes), signal);
      return hash;
    },

    async writeSnapshot(manifest: Manifest): Promise<void> {
      const body = JSON.stringify(manifest);
      const text = Buffer.from(`${hashOf('sha256', body)}\n${body}`);
      await target.put(snapshotKey(manifest.id), Readable.from(cipher.encrypt(oneChunk(text)), { objectMode: false }));
    },

    deleteSnapshot: (id: string): Promise<boolean> =>
      SnapshotId.safeParse(id).success ? target.delete(snapshotKey(id)) : Promise.resolve(false),

    /**
     * Deletes objects that no snapshot needs, and returns how many. Keeps those written since `before`, for interrupted
     * backups that will be resumed.
     */
    async collect(before: Date, signal?: AbortSignal): Promise<number> {
      const needed = new Set<string>();
      for (const id of await snapshotIds()) {
        const manifest = await readSnapshot(id); // throws if damaged: then it is unknown what may be deleted
        for (const hash of [...manifest.database.pieces, ...manifest.lists.map(({ sha256 }) => sha256)])
          needed.add(cipher.nameOf(hash));
        for await (const line of readFiles(manifest)) {
          const hash = hashInBackup(line);
          if (hash !== undefined) needed.add(cipher.nameOf(hash));
        }
      }
      let deleted = 0;
      for await (const { key, modifiedAt } of target.list('objects/')) {
        signal?.throwIfAborted();
        const name = key.slice(key.lastIndexOf('/') + 1);
        if (needed.has(name) || modifiedAt >= before) continue;
        if (await target.delete(key)) deleted++;
        present.delete(name);
      }
      return deleted;
    },
  };
}

const keyOfName = (name: string): string => `objects/${name.slice(0, 2)}/${name}`;
const snapshotKey = (id: string): string => `snapshots/${id}`;

/** Yields the same bytes, and throws DamagedObject after the last when their SHA-256 does not start with `hash`. */
async function* checking(source: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
  if (!sum.digest('hex').startsWith(hash)) throw new DamagedObject('its bytes do not match its hash');
}

export async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function readAll(source: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    if ((size += chunk.length) > most) throw new DamagedObject('it is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
