// Kills the analysis at random moments: each kill costs only the track in progress, and no result is stored
// incompletely. A script in place of ffmpeg records what is decoded, and starts the real one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { STEP_NAMES, STEPS } from '../../server/analysis/steps.ts';
import { writeMusic } from '../support/music.ts';
import { quickImports, root } from '../support/product.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const RECORDING_SECONDS = 4;
/** At most this many tracks are begun between two kills. */
const MOST_BEGUN = 3;
/** Approximate duration of the analysis of one track. */
const TRACK_MS = 400;

/** Returns the violated guarantees. */
export async function killAnalyses(seed: number, kills: number): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-analysis-kills-'));
  try {
    return await killIn(dir, seed, kills);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function killIn(dir: string, seed: number, kills: number): Promise<string[]> {
  const random = seededRandom(seed);
  const [data, music, log, ffmpeg] = ['data', 'music', 'decoded', 'ffmpeg.sh'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
    string,
  ];
  mkdirSync(data);
  mkdirSync(music);
  const tracks = kills * MOST_BEGUN + 2;
  for (let n = 0; n < tracks; n++) writeMusic(join(music, `${n}.wav`), { seed: seed + n, seconds: RECORDING_SECONDS });
  writeFileSync(
    ffmpeg,
    `#!/bin/sh\nfor word; do case "$word" in file:*) echo "$word" >> '${log}';; esac; done\nexec ffmpeg "$@"\n`,
  );
  chmodSync(ffmpeg, 0o755);
  const firstServer = await startServer({ dir: data, env: { LOCAL_MEDIA_IMPORT_PATH: music } });
  await firstServer.api('/sources/local_folder/scan', { method: 'POST' });
  await firstServer.app.drain();
  await firstServer.close();

  const listDecodedFiles = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  const faults: string[] = [];
  for (let kill = 1; kill <= kills + 1; kill++) {
    const decodedBefore = listDecodedFiles().length;
    const program = join(root, 'test/prove/analyzing-server.ts');
    const server = spawn(process.execPath, ['--import', quickImports, program, data, music, ffmpeg], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const serverClosed = once(server, 'close');
    if (kill <= kills) {
      const killAfterFiles = 1 + Math.floor(random() * MOST_BEGUN);
      await until(
        () => listDecodedFiles().length - decodedBefore,
        (count) => count >= killAfterFiles,
        { everyMs: 5 },
      );
      await sleep(random() * TRACK_MS);
      server.kill('SIGKILL');
    }
    const [code] = (await serverClosed) as [number | null];
    if (kill > kills && code !== 0) faults.push(`the analysis did not end: ${code}`);
    faults.push(...halfStored(join(data, 'tonearm.db')).map((fault) => `after kill ${kill}: ${fault}`));
    // only the last track that this process decoded may be decoded again
    const [decodedEarlier, decodedNow] = [
      listDecodedFiles().slice(0, decodedBefore),
      listDecodedFiles().slice(decodedBefore),
    ];
    const decodedAgain = decodedNow.filter((file) => decodedEarlier.includes(file)).length;
    if (decodedAgain > 1) faults.push(`after kill ${kill - 1}: ${decodedAgain} tracks were analyzed again`);
    if (new Set(decodedNow).size < decodedNow.length) faults.push(`before kill ${kill}: a track was analyzed twice`);
  }
  const different = new Set(listDecodedFiles()).size;
  if (different !== tracks) faults.push(`${different} of ${tracks} tracks were analyzed`);
  console.log(`${kills} kills: ${listDecodedFiles().length} decodings of ${tracks} tracks`);
  return faults;
}

/** Returns tracks that lack a step, a result or the fingerprint, which the enrichment may have stored earlier. */
function halfStored(path: string): string[] {
  const db = new Database(path);
  try {
    const missingSteps = STEP_NAMES.filter((step) => step !== 'fingerprint')
      .map((step) => `${step}_version <> ${STEPS[step]}`)
      .join(' OR ');
    const rows = db
      .prepare<[], { path: string }>(
        `SELECT t.source_id AS path FROM audio_analyses a JOIN tracks t ON t.audio_hash = a.audio_key
          WHERE ${missingSteps} OR a.failure IS NOT NULL OR a.loudness_lufs IS NULL OR a.waveform IS NULL OR a.energy IS NULL
            OR t.measured_gain_db IS NULL OR NOT EXISTS (SELECT 1 FROM track_fingerprints f WHERE f.track_id = t.id)`,
      )
      .all();
    const check = db.pragma('integrity_check', { simple: true });
    return [...rows.map((row) => `${row.path} is stored in part`), ...(check === 'ok' ? [] : [String(check)])];
  } finally {
    db.close();
  }
}

export async function proveAnalysisKills({ seed, runs = 50 }: { seed: number; runs: number | undefined }) {
  const faults = await killAnalyses(seed, runs);
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}
