// `tonearm rebuild` recreates the whole library, however often it is killed meanwhile.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { runUntil } from '../support/killed-commands.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';

const IMPORT_MODES = ['copy', 'reference'] as const;

interface RebuildProof {
  kills: number;
  /** Tracks that differ from the original. */
  differences: unknown[];
}

async function rebuildWithKills(
  mode: (typeof IMPORT_MODES)[number],
  { tracks, kills, seed }: { tracks: number; kills: number; seed: number },
): Promise<RebuildProof> {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-rebuild-'));
  const env = { LOCAL_MEDIA_IMPORT_MODE: mode };
  const [wholeDir, dir] = [join(base, 'whole'), join(base, 'data')];
  const random = seededRandom(seed);
  const begin = (): void => {
    rmSync(dir, { recursive: true, force: true });
    cpSync(wholeDir, dir, { recursive: true, preserveTimestamps: true });
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dir, `tonearm.db${suffix}`), { force: true });
  };
  try {
    const music = makeLibrary({ tracks, seed: String(seed), art: 'none', seconds: '1' }, join(base, 'music'));
    const scanRun = await runServer(['scan', music.dir, '--data-dir', wholeDir], env);
    if (scanRun.code !== 0) throw new Error(scanRun.stderr);
    begin();
    const { changes } = await runUntil(dir, ['rebuild'], env);
    begin();
    let killCount = 0;
    while (killCount < kills) {
      const { isKilled } = await runUntil(dir, ['rebuild'], env, Math.ceil(random() * changes));
      if (isKilled) killCount++;
      else if (killCount < kills) begin();
    }
    // once the database exists, the next start continues the interrupted scan
    await complete(dir, env);
    const originalTracks = tracksIn(wholeDir);
    const rebuiltTracks = new Set(tracksIn(dir));
    return { kills: killCount, differences: originalTracks.filter((track) => !rebuiltTracks.has(track)) };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function complete(dir: string, env: Record<string, string>): Promise<void> {
  const rebuilt = await runServer(['rebuild', '--data-dir', dir], env);
  if (rebuilt.code === 0) return;
  if (!rebuilt.stderr.includes('A database already exists')) throw new Error(`Not rebuilt: ${rebuilt.stderr}`);
  const scanRun = await runServer(['scan', '--data-dir', dir], env);
  if (scanRun.code !== 0) throw new Error(`Not scanned: ${scanRun.stderr}`);
}

function tracksIn(dir: string): string[] {
  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  try {
    return db
      .prepare<[], unknown[]>(
        'SELECT source_id, title, artist_name, storage_uri, content_hash, duration_ms FROM tracks',
      )
      .raw()
      .all()
      .map((row) => JSON.stringify(row));
  } finally {
    db.close();
  }
}

export async function proveRebuild({ seed, runs = 50 }: { seed: number; runs: number | undefined }) {
  let isProved = true;
  for (const mode of IMPORT_MODES) {
    const { kills, differences } = await rebuildWithKills(mode, { tracks: 400, kills: runs, seed });
    console.log(
      `${mode}: 400 tracks, ${kills} kills, ${differences.length === 0 ? 'nothing lost' : differences.join('\n')}`,
    );
    isProved &&= differences.length === 0;
  }
  return isProved;
}
