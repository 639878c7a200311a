// Measures the identification of tracks from file to row, with services that answer at once, and fingerprinting alone.
// Bound: the plain program fpcalc on the same files, with as many processes at once as there are cores.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { createLog } from '../../../server/log/log.ts';
import { createFingerprinter } from '../../../server/media/fingerprint.ts';
import { createToolFinder } from '../../../server/media/tools.ts';
import { productPaths } from '../../../server/paths.ts';
import { startFakeAcoustId, type Answer, type Lookup } from '../../fakes/acoustid.ts';
import { startFakeMusicBrainz } from '../../fakes/musicbrainz.ts';
import { encodeMusic, writeMusic } from '../../support/music.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { root, startProduct, type Product } from '../product.ts';

const PIECE_COUNT = 16;
const PIECE_SECONDS = 130;
const PIECE_FORMATS = ['flac', 'mp3'];
const ROUND_COUNT = 3;
const RELEASE_GROUP_ID = '00000000-0000-4000-8000-00000000000a';

export async function enrichSuite(dir: string): Promise<Measure[]> {
  for (const program of ['ffmpeg', 'fpcalc']) {
    if (spawnSync(program, ['-version'], { stdio: 'ignore' }).status !== 0)
      throw new Error(`The suite enrich needs the program ${program}.`);
  }
  const music = join(dir, 'music to identify');
  const sounds = makeMusic(music);
  return [await fingerprints(sounds), await identification(dir, music, sounds)];
}

interface Sound {
  path: string;
  format: string;
}

/** Writes each piece in two formats, so that there are duplicates to find. */
function makeMusic(dir: string): Sound[] {
  mkdirSync(dir);
  return Array.from({ length: PIECE_COUNT }, (_, seed) => {
    const wav = join(dir, '..', 'piece.wav');
    writeMusic(wav, { seed, seconds: PIECE_SECONDS });
    return PIECE_FORMATS.map((format): Sound => {
      const path = join(dir, `piece ${seed}.${format}`);
      encodeMusic(wav, path, format);
      return { path, format };
    });
  }).flat();
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return count / ((performance.now() - startedAt) / 1000);
}

async function fingerprints(sounds: Sound[]): Promise<Measure> {
  const paths = productPaths(root, true);
  const fingerprinter = createFingerprinter({
    findTool: createToolFinder({ binDir: join(paths.resources, 'bin') }),
    toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log: createLog('warn'),
  });
  const { signal } = new AbortController();
  const { product, bound } = await inTurn(
    ROUND_COUNT,
    () => perSecond(sounds.length, () => bareFpcalc(sounds)),
    () =>
      perSecond(sounds.length, () =>
        Promise.all(
          sounds.map(({ path, format }) =>
            fingerprinter.fingerprint({ path, format, durationMs: PIECE_SECONDS * 1000 }, signal),
          ),
        ),
      ),
  );
  await fingerprinter.close();
  return measure({
    suite: 'enrich',
    name: 'fingerprints of tracks over 2 minutes',
    unit: 'tracks/s',
    product,
    bound: { name: 'fpcalc', value: bound },
    goal: { op: '>=', value: 0.8 },
  });
}

/**
 * Measures how a real server identifies pending tracks; each round starts with a copy of a library that was only
 * scanned.
 */
async function identification(dir: string, music: string, sounds: Sound[]): Promise<Measure> {
  const [acoustId, musicBrainz] = [await startFakeAcoustId(), await startFakeMusicBrainz()];
  acoustId.answer = nameOf;
  musicBrainz.entities.set(`/ws/2/release-group/${RELEASE_GROUP_ID}`, {
    id: RELEASE_GROUP_ID,
    title: 'Pieces',
    genres: [{ name: 'ambient', count: 3 }],
  });
  const scannedDir = join(dir, 'scanned');
  const settings = { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' };
  await onProduct(scannedDir, settings, (product) => product.scan());
  await onProduct(scannedDir, settings, untilIdle); // searches all covers first, which are not measured
  const { product, bound } = await inTurn(
    ROUND_COUNT,
    () => perSecond(sounds.length, () => bareFpcalc(sounds)),
    (round) =>
      onProduct(
        pendingCopy(scannedDir, join(dir, `identified-${round}`)),
        {
          ...settings,
          FPID_ENABLED: 'true',
          FPID_API_KEY: 'key',
          FPID_BASE_URL: acoustId.url,
          FPID_RATE_PER_SECOND: '1000',
          MUSICBRAINZ_ENABLED: 'true',
          MUSICBRAINZ_BASE_URL: musicBrainz.url,
        },
        (startedAt) => identifiedPerSecond(startedAt, sounds.length),
      ),
  );
  await Promise.all([acoustId.close(), musicBrainz.close()]);
  return measure({
    suite: 'enrich',
    name: 'identification, services answer at once',
    unit: 'tracks/s',
    product,
    bound: { name: 'fpcalc', value: bound },
    goal: { op: '>=', value: 0.8 },
  });
}

async function onProduct<T>(
  dataDir: string,
  settings: Record<string, string>,
  work: (product: Product) => Promise<T>,
): Promise<T> {
  const product = await startProduct(dataDir, settings);
  try {
    return await work(product);
  } finally {
    await product.stop();
  }
}

interface Job {
  status: string;
  started_at: string;
  finished_at: string | null;
  result: Record<string, number>;
}

const jobsOf = async ({ api }: Product, query: string): Promise<Job[]> =>
  (await api<{ items: Job[] }>(`/jobs?limit=1&${query}`)).items;

async function untilIdle(product: Product): Promise<void> {
  for (const status of ['queued', 'running'])
    while ((await jobsOf(product, `status=${status}`)).length > 0) await sleep(100);
}

function pendingCopy(from: string, to: string): string {
  cpSync(from, to, { recursive: true });
  const db = new Database(join(to, 'tonearm.db'));
  db.exec("DELETE FROM jobs; UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL, enriched_at = NULL");
  db.close();
  return to;
}

/** Returns the tracks identified per second; a server begins to identify pending tracks as soon as it listens. */
async function identifiedPerSecond(product: Product, count: number): Promise<number> {
  for (;;) {
    const [job] = await jobsOf(product, 'task=enrich_library');
    if (job?.finished_at != null) {
      if (job.result['enriched'] !== count)
        throw new Error(`${job.result['enriched']} of ${count} tracks were identified`);
      return count / ((Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000);
    }
    await sleep(250);
  }
}

/**
 * Returns AcoustID's response for a fingerprint: each sound is another recording, but all are on one album, so that
 * MusicBrainz, which allows one request a second, is requested once.
 */
function nameOf({ fingerprint }: Lookup): Answer {
  const n = Buffer.from(fingerprint.slice(0, 400))
    .reduce((sum, byte) => (sum * 31 + byte) % 999_999_937, 7)
    .toString()
    .padStart(12, '0');
  const id = (kind: string): string => `0000000${kind}-0000-4000-8000-${n}`;
  const medium = { position: 1, tracks: [{ id: id('3'), position: (Number(n) % 90) + 1 }] };
  return {
    results: [
      {
        id: id('1'),
        score: 0.97,
        recordings: [
          {
            id: id('2'),
            title: `Piece ${n}`,
            duration: PIECE_SECONDS,
            sources: 12,
            artists: [{ id: id('4'), name: `Player ${Number(n) % 7}` }],
            releasegroups: [
              {
                id: RELEASE_GROUP_ID,
                title: 'Pieces',
                type: 'Album',
                releases: [{ id: RELEASE_GROUP_ID, date: { year: 2001 }, mediums: [medium] }],
              },
            ],
          },
        ],
      },
    ],
  };
}

async function bareFpcalc(sounds: Sound[]): Promise<void> {
  const remainingSounds = sounds.values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const { path } of remainingSounds)
        await once(spawn('fpcalc', ['-json', '-length', '120', path], { stdio: 'ignore' }), 'exit');
    }),
  );
}
