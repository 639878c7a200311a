// A library, and exports and backups of it that an attacker edited.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { finishRestore } from '../../server/backup/restore-state.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { backUpInto, openBackup } from './backup-folders.ts';
import { livelyServer } from './backups.ts';
import { makeLibrary } from './library.ts';
import { startServer, type TestServer } from './server.ts';

export const rowsOf = <Row = unknown>(dir: string, sql: string): Row[] => {
  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
};

export const settingsIn = (dir: string): unknown =>
  existsSync(join(dir, 'settings.json')) ? JSON.parse(readFileSync(join(dir, 'settings.json'), 'utf8')) : {};

export type EditedLibraries = Awaited<ReturnType<typeof editedLibraries>>;

/** Makes a library of ten tracks and two users. The caller has to delete `base` in the end. */
export async function editedLibraries() {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-edited-'));
  let folderNumber = 0;
  const folder = (name: string): string => {
    const path = join(base, `${name}-${++folderNumber}`);
    mkdirSync(path);
    return path;
  };
  const [library, exportDir] = [folder('library'), folder('export')];
  const music = makeLibrary({ tracks: 10, seed: 'hostile', seconds: '1' }, join(base, 'music')).dir;
  const server = await livelyServer({ music, dir: library });
  await server.api('/exports', { method: 'POST', body: { folder: exportDir } });
  await server.app.drain();
  await server.close();

  return {
    base,
    library,
    exported: exportDir,
    folder,
    /** Returns the path of a folder that does not exist yet. */
    newPath: (name: string): string => join(base, `${name}-${++folderNumber}`),

    copyOf(from: string): string {
      const dir = folder('data');
      cpSync(from, dir, { recursive: true });
      return dir;
    },

    /** Copies the export, runs SQL on the copy's database, and updates its manifest. Returns the path. */
    editedExport(sql: string): string {
      const to = folder('edited');
      cpSync(exportDir, to, { recursive: true });
      const [path, manifest] = [join(to, 'data', 'library.db'), join(to, 'data', 'export.json')];
      edit(path, `PRAGMA foreign_keys = OFF; ${sql}`);
      const bytes = readFileSync(path);
      const database = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
      writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), database }));
      return to;
    },

    /** Makes an unencrypted backup of `from`, and edits it like an attacker who can write to its disk. */
    async editedBackup(sql: string, settings: Record<string, unknown> = {}, from = library): Promise<string> {
      const [data, backup] = [folder('edited-data'), folder('backup')];
      cpSync(from, data, { recursive: true });
      edit(join(data, 'tonearm.db'), sql);
      const repo = await openBackup(backup, { isNew: true });
      const { snapshot } = await backUpInto(repo, data, folder('tmp'));
      const keys = { jwt_secret: 'known to everybody', compat_secret_key: 'known to everybody', settings: {} };
      await repo.writeSnapshot({ ...(await repo.readSnapshot(snapshot)), settings, keys });
      return backup;
    },
  };
}

function edit(path: string, sql: string): void {
  const db = new Database(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** Imports an export through the server, and restarts the server. */
export async function importInto(
  { api, app, dir, close }: TestServer,
  from: string,
): Promise<{ job: JobOut; server: TestServer }> {
  const { body } = await api<JobOut>('/imports', { method: 'POST', body: { folder: from, replace: true } });
  await app.drain();
  const job = (await api<JobOut>(`/jobs/${body.id}`)).body;
  await close();
  await finishRestore(dir, () => new Date());
  return { job, server: await startServer({ dir }) };
}
