// Generates a collection of real, tagged audio files with library/make-library.mjs, and reads its manifest.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { root } from './product.ts';

const SOURCES = path.join(import.meta.dirname, 'library');
const GENERATOR = path.join(SOURCES, 'make-library.mjs');
const CACHE = path.join(root, 'node_modules', '.cache', 'tonearm', 'libraries');
/** Collections with more tracks are not cached, because they are seldom needed twice. */
const MOST_KEPT = 100;

export interface LibraryOptions {
  tracks: number;
  seed?: string;
  /** Fraction of broken or odd files, 0..1. */
  messy?: number;
  /** Subset of mp3, flac, ogg, opus, m4a, wav. */
  formats?: string[];
  /** Whether each format has the same number of tracks. */
  even?: boolean;
  art?: 'embedded' | 'folder' | 'none' | 'mixed';
  artKb?: number;
  /** Length of each track: `5`, or `20-40`. */
  seconds?: string;
  /** Fraction of tracks that exist in a second format, 0..1. */
  reencoded?: number;
}

interface ExpectedTags {
  title?: string;
  artists?: string[];
  artist?: string;
  albumArtist?: string;
  album?: string;
  track?: number;
  trackTotal?: number;
  disc?: number;
  discTotal?: number;
  year?: number;
  date?: string;
  genres?: string[];
  compilation?: boolean;
  mb?: {
    recording?: string;
    track?: string;
    release?: string;
    releaseGroup?: string;
    artists?: string[];
    albumArtists?: string[];
  };
}

/** The manifest's entry of a file; see library/README.md. */
export interface ExpectedFile {
  path: string;
  /** The path as hexadecimal bytes if it is not UTF-8. */
  pathHex?: string;
  format: string;
  codec: string;
  size: number;
  mtime: number;
  seconds: number;
  rate: number;
  channels: number;
  tagVersion?: string;
  art?: { mime: string; bytes: number };
  melody?: number;
  /** Null if the file has no tags; undefined if it need not be readable. */
  tags?: ExpectedTags | null;
  duplicateOf?: string;
  sameAudioAs?: string;
  messy?: string;
  expect?: 'track' | 'degraded' | 'error' | 'any';
}

export interface Manifest {
  /** Folder of the collection. */
  dir: string;
  files: ExpectedFile[];
  counts: Record<string, unknown>;
  /** All unusual files in the collection, including playlists and broken links. */
  messy: { path: string; pathHex?: string; kind: string; expect: string; why: string }[];
}

/** Generates the collection in `outDir`, which must not exist or be empty; the manifest is written beside it. */
export function makeLibrary(options: LibraryOptions, outDir: string): Manifest {
  const args = ['--tracks', String(options.tracks), '--quiet'];
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) args.push(name, String(value));
  };
  add('--seed', options.seed);
  add('--messy', options.messy);
  add('--formats', options.formats?.join(','));
  add('--art', options.art);
  add('--art-kb', options.artKb);
  add('--seconds', options.seconds);
  add('--reencoded', options.reencoded);
  if (options.even) args.push('--even');
  const isCached = options.tracks <= MOST_KEPT && (options.messy ?? 0) === 0 && process.platform !== 'win32';
  if (isCached) copyKept(args, outDir);
  else generate(args, outDir);
  return readManifest(outDir);
}

function generate(args: string[], outDir: string): void {
  const { status, stderr } = spawnSync(process.execPath, [GENERATOR, '--out', outDir, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`make-library failed: ${stderr}`);
}

let sourcesHash: string | undefined;

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const name of fs.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = path.join(SOURCES, name);
    if (fs.statSync(file).isFile()) hash.update(name).update(fs.readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Copies a cached collection, since generating takes ten times as long. The name of the cache changes with the
 * generator.
 */
function copyKept(args: string[], outDir: string): void {
  const name = createHash('sha256')
    .update(JSON.stringify([(sourcesHash ??= hashOfSources()), args]))
    .digest('hex');
  const cachedDir = path.join(CACHE, name.slice(0, 16));
  if (!fs.existsSync(cachedDir)) {
    fs.mkdirSync(CACHE, { recursive: true });
    const unfinishedDir = fs.mkdtempSync(path.join(CACHE, 'making-'));
    generate(args, path.join(unfinishedDir, 'music'));
    try {
      fs.renameSync(unfinishedDir, cachedDir);
    } catch (error) {
      if (!fs.existsSync(cachedDir)) throw error;
      fs.rmSync(unfinishedDir, { recursive: true }); // another process has cached the collection in the meantime
    }
  }
  fs.mkdirSync(outDir, { recursive: true });
  for (const [from, to] of [
    [`${path.join(cachedDir, 'music')}/.`, outDir],
    [path.join(cachedDir, 'music.expected.json'), `${outDir}.expected.json`],
  ] as const) {
    const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the collection was not copied: ${stderr}`);
  }
}

/** Reads `<dir>.expected.json`, which has one file per line. */
export function readManifest(dir: string): Manifest {
  const manifest: Manifest = { dir, files: [], counts: {}, messy: [] };
  let section = '';
  for (const line of linesOf(`${dir}.expected.json`)) {
    const heading = /^(?:.*,)?"(files|artists|albumArtists|albums|messy)":[[{]$/.exec(line);
    if (heading) section = heading[1] as string;
    else if (line.startsWith('"counts":'))
      manifest.counts = JSON.parse(line.slice('"counts":'.length).replace(/,$/, ''));
    else if (line.startsWith('{') && section === 'files') manifest.files.push(JSON.parse(line.replace(/,$/, '')));
    else if (line.startsWith('{') && section === 'messy') manifest.messy.push(JSON.parse(line.replace(/,$/, '')));
    if (line.startsWith(']') || line.startsWith('}')) section = heading ? section : '';
  }
  return manifest;
}

/** Yields the lines of a file, because a manifest of a million files exceeds the maximum length of a string. */
function* linesOf(file: string): Generator<string> {
  const fd = fs.openSync(file, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(1 << 20);
  try {
    let rest = '';
    for (let count = -1; count !== 0;) {
      count = fs.readSync(fd, buffer);
      const lines = (rest + decoder.write(buffer.subarray(0, count))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest;
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns the path of a file for `fs`, as bytes if it is not UTF-8. */
export function pathOf(manifest: Manifest, file: { path: string; pathHex?: string }): string | Buffer {
  return file.pathHex === undefined
    ? path.join(manifest.dir, file.path)
    : Buffer.concat([Buffer.from(`${manifest.dir}/`), Buffer.from(file.pathHex, 'hex')]);
}
