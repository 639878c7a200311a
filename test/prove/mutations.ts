// Damaged copies of good files of every format: each is read or rejected with a reason, with bounded work and memory.
// Work is counted in reads of the file, which do not depend on the machine.
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FORMATS } from '../../server/media/audio-formats.ts';
import { bufferSource } from '../../server/media/byte-source.ts';
import { hashPayload } from '../../server/media/payload-hash.ts';
import { readAudio, readCover } from '../../server/media/read.ts';
import { UnreadableAudio, type ByteSource } from '../../server/media/types.ts';
import { damageBytes, randomNumbers } from '../support/damage.ts';
import { foreignAudio } from '../support/fallback-attacks.ts';
import { makeLibrary, pathOf } from '../support/library.ts';
import { BUILT_FILES, OTHER_BUILT_FILES, OTHER_REAL_FILES, REAL_FILES } from '../support/rare-formats.ts';
import { toolOrWarn } from '../support/tools.ts';

const MOST_MB = 300;
const LONGEST_MS = 10_000;
/** Maximum number of passes over a file; `SMALLEST_PIECE` is the minimum average size of a read in bytes. */
const MOST_PASSES = 60;
const SMALLEST_PIECE = 4;
const SMALL_FILE = 64 << 10;
const COLLECTED_EVERY = 4;

const USUAL_FORMATS = ['mp3', 'flac', 'ogg', 'opus', 'm4a', 'wav'];

/** Returns good files by format. */
export async function goodFiles(): Promise<Map<string, Buffer[]>> {
  const temp = mkdtempSync(join(tmpdir(), 'tonearm-mutations-'));
  try {
    const usualFiles = USUAL_FORMATS.flatMap((format) => {
      const options = { tracks: 3, art: 'embedded', artKb: 4, seconds: '1', seed: format } as const;
      const manifest = makeLibrary({ ...options, formats: [format] }, join(temp, format));
      return manifest.files.map((file) => readFileSync(pathOf(manifest, file)));
    });
    const allFormats = [
      ...usualFiles,
      ...foreignAudio.map(({ bytes }) => bytes),
      ...BUILT_FILES.map(({ make }) => make()),
      ...OTHER_BUILT_FILES.map((make) => make()),
      ...(toolOrWarn('ffmpeg', 'mutations of most rare formats are')
        ? [...REAL_FILES, ...OTHER_REAL_FILES].map(({ make }) => make())
        : []),
    ];
    const files = new Map<string, Buffer[]>();
    for (const bytes of allFormats) {
      const { format } = (await readAudio(bufferSource(bytes))).facts;
      files.set(format, [...(files.get(format) ?? []), bytes]);
    }
    return files;
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

interface Work {
  reads: number;
  bytes: number;
}

function countReads(bytes: Buffer): { source: ByteSource; work: Work } {
  const work = { reads: 0, bytes: 0 };
  const source = bufferSource(bytes);
  return {
    work,
    source: {
      size: source.size,
      read(position, length) {
        const bytesRead = source.read(position, length);
        work.reads++;
        work.bytes += bytesRead.length;
        return bytesRead;
      },
    },
  };
}

interface MutationCounts {
  format: string;
  readCount: number;
  refusedCount: number;
  slowestMs: number;
  /** Faults with the number of the mutation that caused them. */
  faults: string[];
}

/** Reads damaged copies. `collect` frees them, so that the measured memory is that of the readers. */
export async function mutate(
  format: string,
  validFiles: Buffer[],
  runs: number,
  seed: number,
  collectGarbage?: () => void,
): Promise<MutationCounts> {
  const randomBelow = randomNumbers(seed);
  const counts: MutationCounts = { format, readCount: 0, refusedCount: 0, slowestMs: 0, faults: [] };
  for (let n = 0; n < runs; n++) {
    if (n % COLLECTED_EVERY === 0) collectGarbage?.();
    const bytes = damageBytes(validFiles[randomBelow(validFiles.length)] as Buffer, randomBelow);
    const { source, work } = countReads(bytes);
    const began = performance.now();
    try {
      const { facts } = await readAudio(source);
      hashPayload(source, facts);
      await readCover(source);
      counts.readCount++;
    } catch (error) {
      counts.refusedCount++;
      if (!(error instanceof UnreadableAudio)) counts.faults.push(`${n}: ${String(error)}`);
    }
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - began);
    const size = Math.max(bytes.length, SMALL_FILE);
    if (work.bytes > MOST_PASSES * size || work.reads > size / SMALLEST_PIECE)
      counts.faults.push(`${n}: ${work.reads} reads of ${work.bytes} bytes for ${bytes.length}`);
  }
  return counts;
}

export async function proveMutations({ seed, runs = 2_000 }: { seed: number; runs: number | undefined }) {
  console.log(`seed ${seed}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const files = await goodFiles();
  const missingFormats = FORMATS.map(([format]) => format).filter((format) => !files.has(format));
  if (missingFormats.length > 0) console.log(`no file of ${missingFormats.join(', ')}`);
  let isProven = missingFormats.length === 0;
  for (const [format, validFiles] of files) {
    const { readCount, refusedCount, slowestMs, faults } = await mutate(format, validFiles, runs, seed, collect);
    console.log(`${format}: ${readCount} read, ${refusedCount} refused, slowest ${Math.round(slowestMs)} ms`);
    for (const fault of faults.slice(0, 5)) console.log(`    ${fault}`);
    isProven &&= faults.length === 0 && slowestMs <= LONGEST_MS;
  }
  const mb = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${mb} MB`);
  return isProven && mb <= MOST_MB;
}
