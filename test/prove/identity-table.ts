// Plays the identity table with every format, mode and way of scanning, with and without look-ups, each on its own
// server process.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { startFakeAcoustId } from '../fakes/acoustid.ts';
import { layOutRows, openRowChecks, type Mode, type Served } from '../support/identity-library.ts';
import { ROWS, SONGS_PER_PART, type Row, type Songs } from '../support/identity-table.ts';
import { openKilledServer, type KilledServer } from '../support/killed-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { until } from '../support/until.ts';

/** ffmpeg's encoder for each file extension. */
const FORMAT_CODECS: Record<string, string> = {
  mp3: 'libmp3lame',
  flac: 'flac',
  m4a: 'aac',
  ogg: 'libvorbis',
  opus: 'libopus',
  wav: 'pcm_s16le',
  aiff: 'pcm_s16be',
  wv: 'wavpack',
  tta: 'tta',
  wma: 'wmav2',
  mka: 'libvorbis',
};
const IMPORT_MODES = ['copy', 'reference'] as const;
/**
 * The ways in which changes are noticed. With `killed` the server is killed at a random moment of the scan, which the
 * next start continues.
 */
const CHANGE_WAYS = ['scan', 'watch', 'killed'] as const;
/** The latest moment of a kill; a scan of these folders ends before it. */
const LATEST_KILL_MS = 900;
const SOUND_SECONDS = 2;
const QUIET_FLAGS = ['-nostdin', '-y', '-v', 'error'];

interface Case {
  format: string;
  mode: Mode;
  changeWay: (typeof CHANGE_WAYS)[number];
  /** Whether AcoustID is used; fingerprints are computed in any case. */
  looksUp: boolean;
}

/** Returns every combination, in an order determined by the seed. */
export function casesOf(seed: number): Case[] {
  const random = seededRandom(seed);
  const allCases = Object.keys(FORMAT_CODECS).flatMap((format) =>
    IMPORT_MODES.flatMap((mode) =>
      CHANGE_WAYS.flatMap((changeWay) => [true, false].map((looksUp): Case => ({ format, mode, changeWay, looksUp }))),
    ),
  );
  return allCases
    .map((tableCase) => ({ one: tableCase, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/** Makes tagged files with tones of different pitches. */
function makeTones(dir: string, format: string, parts: number): Songs {
  fs.mkdirSync(dir, { recursive: true });
  const songs: string[] = [];
  for (let part = 0; part < parts; part++) {
    const numbers = Array.from({ length: SONGS_PER_PART }, (_, n) => part * SONGS_PER_PART + n);
    const paths = numbers.map((n) => join(dir, `${n}.${format}`));
    songs.push(...paths);
    if (fs.existsSync(paths[0] as string)) continue;
    const inputs = numbers.flatMap((n) => [
      '-f',
      'lavfi',
      '-i',
      `sine=frequency=${200 + n * 7}:duration=${SOUND_SECONDS}`,
    ]);
    const outputs = numbers.flatMap((n, i) => {
      const tags = [`title=Song ${n}`, 'artist=The Quays', `album=Album ${part}`];
      const metadata = tags.flatMap((tag) => ['-metadata', tag]);
      return ['-map', `${i}`, '-c:a', FORMAT_CODECS[format] as string, ...metadata, paths[i] as string];
    });
    const ffmpegRun = spawnSync('ffmpeg', [...QUIET_FLAGS, ...inputs, ...outputs], { encoding: 'utf8' });
    if (ffmpegRun.status !== 0) throw new Error(`ffmpeg could not make ${format}: ${ffmpegRun.stderr}`);
  }
  return { mp3: songs, recording: { original: '', flac: '' } };
}

const servedOf = (server: KilledServer, dataDir: string): Served => ({
  async tracks() {
    const tracks: TrackOut[] = [];
    for (let total = 1; tracks.length < total;) {
      const page = await server.call<TrackPage>(`/tracks?limit=200&offset=${tracks.length}`);
      tracks.push(...page.items);
      total = page.total;
    }
    return tracks;
  },
  withDatabase(use) {
    const db = new Database(join(dataDir, 'tonearm.db'));
    db.pragma('busy_timeout = 10000');
    try {
      return use(db);
    } finally {
      db.close();
    }
  },
  stream: async (id) => (await server.stream(id)).status,
});

/** Returns the faults of one combination. `songs` is a folder with audio that combinations share. */
export async function playCase(tableCase: Case, rows: readonly Row[], songs: string, seed: number): Promise<string[]> {
  const { format, mode, changeWay, looksUp } = tableCase;
  const base = fs.mkdtempSync(join(tmpdir(), 'tonearm-identity-table-'));
  const [folder, dataDir] = [join(base, 'music'), join(base, 'data')];
  const parts = layOutRows(folder, rows, makeTones(join(songs, format), format, rows.length), format);
  const random = seededRandom(seed);
  const fake = await startFakeAcoustId();
  const server = await openKilledServer({
    dataDir,
    env: {
      LOCAL_MEDIA_IMPORT_PATH: folder,
      LOCAL_MEDIA_IMPORT_MODE: mode,
      LOCAL_MEDIA_WATCH: String(changeWay === 'watch'),
      ANALYSIS_ENABLED: 'false',
      ...(looksUp && { FPID_BASE_URL: fake.url, FPID_API_KEY: 'key', FPID_RATE_PER_SECOND: '1000' }),
    },
  });
  const servedTracks = servedOf(server, dataDir);
  let marks = 0;
  try {
    await server.scan();
    const checks = await openRowChecks(servedTracks, mode, rows, format);

    const settle = async (): Promise<void> => {
      if (changeWay === 'watch') {
        // this file is written last: when it is a track and no job is left, all changes have been seen
        const name = `zz/mark ${++marks}.${format}`;
        fs.mkdirSync(join(folder, 'zz'), { recursive: true });
        fs.copyFileSync(join(songs, format, `${marks}.${format}`), join(folder, name));
        fs.appendFileSync(join(folder, name), name);
        await until(async () => (await servedTracks.tracks()).some(({ source_id }) => source_id === name));
        return void (await server.idle());
      }
      if (changeWay === 'scan') return server.scan();
      await server.startScan();
      await sleep(random() * LATEST_KILL_MS);
      await server.restart();
      await server.idle();
    };

    const faults: string[] = [];
    const check = async (moment: string): Promise<void> => {
      const tracks = await servedTracks.tracks();
      for (const [part, { what }] of rows.entries())
        for (const fault of await checks.faultsOf(part, tracks))
          faults.push(`${Object.values(tableCase).join(', ')}: ${what}, ${moment}: ${fault}`);
    };
    rows.forEach((row, n) => parts[n] && row.change(parts[n]));
    await settle();
    rows.forEach((row, n) => parts[n] && row.later?.(parts[n]));
    await settle();
    await check('at once');
    await server.scan();
    await check('after a scan of everything');
    return faults;
  } finally {
    await server.close();
    await fake.close();
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** The rows that can be tested with files of any format; the others need MP3 files. */
export const TABLE_ROWS = ROWS.filter(({ isOfMp3 }) => !isOfMp3);

export async function proveIdentityTable({ seed, runs }: { seed: number; runs: number | undefined }) {
  const songs = fs.mkdtempSync(join(tmpdir(), 'tonearm-identity-songs-'));
  const cases = casesOf(seed).slice(0, runs);
  let faults = 0;
  try {
    for (const [n, tableCase] of cases.entries()) {
      const caseFaults = await playCase(tableCase, TABLE_ROWS, songs, seed + n);
      console.log(
        `${n + 1}/${cases.length} ${Object.values(tableCase).join(', ')}: ${caseFaults.length} of ${TABLE_ROWS.length} rows`,
      );
      for (const fault of caseFaults) console.log(fault);
      faults += caseFaults.length;
    }
  } finally {
    fs.rmSync(songs, { recursive: true, force: true });
  }
  console.log(`${cases.length} combinations of ${TABLE_ROWS.length} rows from seed ${seed}: ${faults} faults`);
  return faults === 0;
}
