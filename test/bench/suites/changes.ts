// Measures scans after every file of a library has changed: all files have new audio, all have another format and name,
// or two copies of each were moved. The time may grow in proportion to the files, and other requests must not wait.
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { id3, id3Frame, SILENT_FRAME_BYTES, silentMp3, u32, utf8Text } from '../../support/audio-bytes.ts';
import { measure, type Measure } from '../measure.ts';
import { startProduct } from '../product.ts';
import { percentile, whileUsed } from '../while-used.ts';

const FEW_TRACKS = 2_500;
const MANY_TRACKS = 4 * FEW_TRACKS;
const TRACKS_OF_ALBUM = 12;

interface Change {
  name: string;
  makeChange: (music: string, files: number) => void;
  /** The count of the scan's result that the change raises. */
  counts: 'updated' | 'moved';
}

const LIBRARY_CHANGES: Change[] = [
  {
    name: 'other audio in each of',
    makeChange(music, files) {
      rmSync(music, { recursive: true });
      writeAlbums(music, files, { audio: 2, called: 'Song' });
    },
    counts: 'updated',
  },
  {
    name: 'other audio and another name for each of',
    makeChange(music, files) {
      rmSync(music, { recursive: true });
      writeAlbums(music, files, { audio: 3, called: 'Track' });
    },
    counts: 'moved',
  },
  {
    name: 'a second copy added, and both moved, of each of',
    makeChange(music) {
      const movedMusic = `${music} moved`;
      mkdirSync(movedMusic);
      for (const copy of ['New', 'Backup']) cpSync(music, join(movedMusic, copy), { recursive: true });
      rmSync(music, { recursive: true });
      renameSync(movedMusic, music);
    },
    counts: 'moved',
  },
];

export async function changesSuite(dir: string): Promise<Measure[]> {
  const fewTimes = await timesOf(dir, FEW_TRACKS);
  const manyTimes = await timesOf(dir, MANY_TRACKS);
  return LIBRARY_CHANGES.flatMap(({ name }, i) => [
    measure({
      suite: 'changes',
      name: `${name} ${MANY_TRACKS.toLocaleString('en')} files`,
      unit: 'ms',
      product: manyTimes[i]?.ms ?? Number.NaN,
      bound: { name: `of ${FEW_TRACKS.toLocaleString('en')}`, value: fewTimes[i]?.ms ?? Number.NaN },
      goal: { op: '<=', value: 5 },
    }),
    measure({
      suite: 'changes',
      name: 'POST /likes during it, p99',
      unit: 'ms',
      product: percentile(manyTimes[i]?.latencies ?? [], 0.99),
      bound: { name: 'limit', value: 100 },
      goal: { op: '<=', value: 1 },
    }),
  ]);
}

async function timesOf(dir: string, files: number): Promise<{ ms: number; latencies: number[] }[]> {
  const music = join(dir, `music-${files}`);
  writeAlbums(music, files, { audio: 1, called: 'Song' });
  const product = await startProduct(join(dir, `changes-${files}`), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  await product.scan();
  const times: { ms: number; latencies: number[] }[] = [];
  for (const { name, makeChange, counts } of LIBRARY_CHANGES) {
    makeChange(music, files);
    const { result: scanResult, latencies, rss } = await whileUsed(product, () => product.scan());
    const { ms, result } = scanResult;
    if ((result[counts] ?? 0) < files) throw new Error(`${name} ${files}: ${JSON.stringify(result)}`);
    process.stderr.write(`${name} ${files}: ${Math.round(ms)} ms, ${Math.round(rss)} MB\n`);
    times.push({ ms, latencies });
  }
  await product.stop();
  return times;
}

/** Writes MP3s of 4 kB, all of the same length, in albums. `audio` makes their bytes differ, `called` their names. */
function writeAlbums(music: string, files: number, { audio, called }: { audio: number; called: string }): void {
  for (let n = 0; n < files; n++) {
    const album = Math.floor(n / TRACKS_OF_ALBUM);
    const artist = `Artist ${album >> 2}`;
    const folder = join(music, artist, `Album ${album}`);
    if (n % TRACKS_OF_ALBUM === 0) mkdirSync(folder, { recursive: true });
    const texts = { TIT2: `Song ${n}`, TPE1: artist, TALB: `Album ${album}`, TRCK: String((n % TRACKS_OF_ALBUM) + 1) };
    const frames = silentMp3(10);
    Buffer.concat([u32(n), u32(audio)]).copy(frames, SILENT_FRAME_BYTES + 60);
    const tags = id3(Object.entries(texts).map(([name, text]) => id3Frame(name, utf8Text(text))));
    const track = String((n % TRACKS_OF_ALBUM) + 1).padStart(2, '0');
    writeFileSync(join(folder, `${track} ${called} ${n}.mp3`), Buffer.concat([tags, frames]));
  }
}
