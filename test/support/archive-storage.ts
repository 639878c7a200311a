// A storage backend for tests: every object is a row of one SQLite file, in the folder that STORAGE_ROOT
// names. Importing it adds it to the backends.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { conflict, notFound } from '../../server/errors.ts';
import { setting, text } from '../../server/setting-kinds.ts';
import type { Backend } from '../../server/storage/backend.ts';
import { BACKENDS } from '../../server/storage/backends.ts';
import { fileChangedError } from '../../server/storage/file-errors.ts';
import { assertKey, audioKey } from '../../server/storage/local-paths.ts';
import type { Storage } from '../../server/storage/storage.ts';

export const archive: Backend = {
  name: 'archive',
  title: 'the archive',
  declaredSettings: {
    ARCHIVE_FILE: setting(text.default('archive.db'), {
      kind: 'folder',
      group: 'storage',
      help: 'Name of the file in the folder.',
    }),
  },
  settings: ['STORAGE_ROOT', 'ARCHIVE_FILE'],
  requiredSettings: ['STORAGE_ROOT'],
  verifyDays: 90,
  mayBeDown: false,
  canBeTested: true,
  open: ({ settings, paths }) =>
    Promise.resolve(createArchiveStorage(paths.storageRoot, String(settings['ARCHIVE_FILE']))),
  forBackups: ({ settings, paths }) => ({
    config: { settings, paths: { ...paths, storageRoot: join(paths.storageRoot, 'backups') } },
    description: 'the archive of backups',
  }),
};

BACKENDS.push(archive);

interface Row {
  bytes: Buffer;
  modifiedAt: number;
}

export function createArchiveStorage(folder: string, file = 'archive.db'): Storage {
  mkdirSync(folder, { recursive: true });
  const db = new Database(join(folder, file));
  db.exec(
    'CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, bytes BLOB NOT NULL, modified_at INTEGER NOT NULL)',
  );
  const write = db.prepare<[string, Buffer, number]>('INSERT OR REPLACE INTO objects VALUES (?, ?, ?)');
  const readObject = db.prepare<[string], Row>('SELECT bytes, modified_at AS modifiedAt FROM objects WHERE key = ?');
  const remove = db.prepare<[string]>('DELETE FROM objects WHERE key = ?');
  const list = db.prepare<[string, string], { key: string; size: number; modifiedAt: number }>(
    `SELECT key, length(bytes) AS size, modified_at AS modifiedAt FROM objects
     WHERE substr(key, 1, length(?)) = ? ORDER BY key`,
  );
  const findObject = (key: string): Row | undefined => {
    assertKey(key);
    return readObject.get(key);
  };

  async function readAll(source: Readable | Buffer, signal: AbortSignal | undefined): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of Buffer.isBuffer(source) ? [source] : (source as AsyncIterable<Buffer>)) {
      signal?.throwIfAborted();
      pieces.push(piece);
    }
    signal?.throwIfAborted();
    return Buffer.concat(pieces);
  }

  return {
    backend: archive,
    folder: null,

    async put(key, source, { signal, ifAbsent } = {}) {
      if (ifAbsent === true && findObject(key)) throw conflict('The object already exists.');
      assertKey(key);
      const bytes = await readAll(source, signal);
      write.run(key, bytes, Date.now());
      return { size: bytes.length };
    },

    async putAudio(source, ext, { signal, expected } = {}) {
      const bytes = await readAll(source, signal);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (expected && expected.sha256 !== sha256) throw fileChangedError();
      const key = audioKey(sha256, ext);
      if (!findObject(key)) write.run(key, bytes, Date.now());
      return { key, sha256, size: bytes.length };
    },

    async open(key, range) {
      const object = findObject(key);
      if (!object) throw notFound('stored object');
      const bytes = range ? object.bytes.subarray(range.start, range.end + 1) : object.bytes;
      return { size: object.bytes.length, stream: Readable.from([bytes]) };
    },

    async stat(key) {
      const object = findObject(key);
      return object && { size: object.bytes.length, modifiedAt: new Date(object.modifiedAt) };
    },

    async delete(key) {
      assertKey(key);
      return remove.run(key).changes > 0;
    },

    async *list(prefix) {
      for (const { key, size, modifiedAt } of list.all(prefix, prefix))
        yield { key, size, modifiedAt: new Date(modifiedAt) };
    },

    sweep: () => Promise.resolve(0),
    diskUsage: () => Promise.resolve(null),
    isUp: () => Promise.resolve(db.open),
    localPath: () => undefined,
    close: () => void db.close(),
  };
}
