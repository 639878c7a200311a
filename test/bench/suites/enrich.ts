// Fingerprints of music files. Bound: the bare program fpcalc on the same files, as many at once.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../server/log/log.ts';
import { createFingerprinter } from '../../../server/media/fingerprint.ts';
import { createToolFinder } from '../../../server/media/tools.ts';
import { productPaths } from '../../../server/paths.ts';
import { encodeMusic, writeMusic } from '../../support/music.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { root } from '../product.ts';

const PIECES = 4;
const SECONDS = 130;
/** The same pieces over again: what is measured is decoding, and the files are in the cache either way. */
const REPEATS = 8;
const ROUNDS = 3;

export async function enrichSuite(dir: string): Promise<Measure[]> {
  for (const program of ['ffmpeg', 'fpcalc']) {
    if (spawnSync(program, ['-version'], { stdio: 'ignore' }).status !== 0) throw new Error(`The suite enrich needs the program ${program}.`);
  }
  return [await fingerprints(makeMusic(dir))];
}

interface Sound { path: string; format: string }

/** Half MP3, half FLAC. */
function makeMusic(dir: string): Sound[] {
  const sounds = Array.from({ length: PIECES }, (_, seed): Sound => {
    const format = seed % 2 === 0 ? 'mp3' : 'flac';
    const [wav, path] = [join(dir, `piece ${seed}.wav`), join(dir, `piece ${seed}.${format}`)];
    writeMusic(wav, { seed, seconds: SECONDS });
    encodeMusic(wav, path, format);
    return { path, format };
  });
  return Array.from({ length: REPEATS }, () => sounds).flat();
}

async function fingerprints(sounds: Sound[]): Promise<Measure> {
  const paths = productPaths(root, true);
  const fingerprinter = createFingerprinter({
    findTool: createToolFinder({ binDir: join(paths.resources, 'bin') }), toolPath: () => undefined,
    workerUrl: paths.workers.fingerprint, wasmPath: paths.chromaprint, log: createLog('warn'),
  });
  const { signal } = new AbortController();
  const perSecond = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return sounds.length / ((performance.now() - started) / 1000);
  };
  const { product, bound } = await inTurn(ROUNDS,
    () => perSecond(() => bareFpcalc(sounds)),
    () => perSecond(() => Promise.all(sounds.map(({ path, format }) => fingerprinter.fingerprint({ path, format, durationMs: SECONDS * 1000 }, signal)))));
  await fingerprinter.close();
  return measure({ suite: 'enrich', name: 'fingerprints of tracks over 2 minutes', unit: 'tracks/s', product, bound: { name: 'fpcalc', value: bound }, goal: { op: '>=', value: 0.8 } });
}

async function bareFpcalc(sounds: Sound[]): Promise<void> {
  const left = sounds.values();
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (const { path } of left) await once(spawn('fpcalc', ['-json', '-length', '120', path], { stdio: 'ignore' }), 'exit');
  }));
}
