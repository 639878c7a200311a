// The table of what may happen to music files on disk, and what must happen to their tracks. Every way of scanning has
// to follow it.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeLibrary, type ExpectedFile } from './library.ts';
import { retag } from './retag.ts';

/** Audio files with one song each, and two encodings of one recording. */
export interface Songs {
  mp3: string[];
  /** The same recording as MP3 and as FLAC, with the recording's id in the tags. */
  recording: { original: string; flac: string };
}

export function makeSongs(dir: string): Songs {
  const manifest = makeLibrary(
    { tracks: 420, formats: ['mp3', 'flac'], seed: 'identity', seconds: '2', reencoded: 0.1 },
    dir,
  );
  const twins = new Set(manifest.files.map((file) => file.sameAudioAs));
  const mp3 = manifest.files.filter(
    (file) =>
      file.format === 'mp3' && !file.duplicateOf && !file.sameAudioAs && !twins.has(file.path) && file.tags?.title,
  );
  const formatOf = new Map(manifest.files.map((file) => [file.path, file.format]));
  const flac = manifest.files.find(
    (file) =>
      file.sameAudioAs &&
      file.format === 'flac' &&
      file.tags?.mb?.recording &&
      formatOf.get(file.sameAudioAs) === 'mp3',
  ) as ExpectedFile;
  return {
    mp3: mp3.map((file) => join(dir, file.path)),
    recording: { original: join(dir, flac.sameAudioAs as string), flac: join(dir, flac.path) },
  };
}

/** One part of a music folder, with its own songs. */
export interface Part {
  /** Returns the absolute path of a path in the part, with the extension of the part's format. */
  at: (path: string) => string;
  /** Returns the path of a song's file; each song is used in one part only. */
  song: (n: number) => string;
  recording: Songs['recording'];
}

/** Replaces the extension of a path of the table, which is always `.mp3`. */
export const inFormat = (path: string, format: string): string =>
  path.replace(/\.mp3$/i, (end) => (end === '.mp3' ? `.${format}` : `.${format.toUpperCase()}`));

export const A = 'One/First/01 - Alpha.mp3';
const B = 'One/First/02 - Beta.mp3';
const C = 'One/Second/01 - Gamma.mp3';
export const D = 'Two/Third/01 - Delta.mp3';
const E = 'Two/Third/02 - Epsilon.mp3';
export const ALL = [A, B, C, D, E];

/** Number of songs of a part: one for each path of ALL, and one more. */
export const SONGS_PER_PART = ALL.length + 1;
const FOREIGN_SONG = ALL.length;

/**
 * One change on disk. `places` names the old path whose track each new path must have (null: a new track), `lost` the
 * tracks without a file.
 */
export interface Row {
  what: string;
  /** The files before the change; by default the five paths of ALL. */
  files?: (part: Part) => Record<string, string>;
  change: (part: Part) => void;
  /** Makes a second change after a scan has seen the first one. */
  later?: (part: Part) => void;
  places: Record<string, string | null>;
  /** Old paths of tracks without a file. */
  lost?: string[];
  /** Expectations that differ in copy mode, because the library has a copy of deleted files. */
  inCopyMode?: Pick<Row, 'places' | 'lost'>;
  /** Old paths of tracks that were merged with the track at another path, and these paths. */
  joined?: Record<string, string>;
  /** Whether the tracks are merged at the end of a scan, which a dry run cannot report. */
  isFoundLast?: true;
  /** Whether the row needs MP3 files with a real recording, which only some parts have (`Part.recording`). */
  isOfMp3?: true;
}

export const filesOf = (row: Row, part: Part): Record<string, string> =>
  row.files?.(part) ?? Object.fromEntries(ALL.map((path, n) => [path, part.song(n)]));

/** Writes the files of a row, each with its own time in the past. */
export function layOut(files: Record<string, string>, part: Part): void {
  for (const [i, [path, song]] of Object.entries(files).entries()) {
    mkdirSync(dirname(part.at(path)), { recursive: true });
    copyFileSync(song, part.at(path));
    utimesSync(part.at(path), 1_500_000_000, 1_500_000_000 + i);
  }
}

function swap(firstPath: string, secondPath: string): void {
  renameSync(firstPath, `${firstPath}.away`);
  renameSync(secondPath, firstPath);
  renameSync(`${firstPath}.away`, secondPath);
}

export const ROWS: Row[] = [
  {
    what: 'a renamed file',
    change: ({ at }) => renameSync(at(A), at('One/First/01 - Other.mp3')),
    places: { 'One/First/01 - Other.mp3': A },
  },
  {
    what: 'a renamed folder',
    change: ({ at }) => renameSync(at('One'), at('Uno')),
    places: { 'Uno/First/01 - Alpha.mp3': A, 'Uno/First/02 - Beta.mp3': B, 'Uno/Second/01 - Gamma.mp3': C },
  },
  {
    what: 'a file moved to another folder',
    change: ({ at }) => renameSync(at(A), at('Two/Third/09 - Alpha.mp3')),
    places: { 'Two/Third/09 - Alpha.mp3': A },
  },
  {
    what: 'a file copied elsewhere and removed here, with another time',
    change: ({ at }) => {
      copyFileSync(at(A), at('Two/copied.mp3'));
      rmSync(at(A));
    },
    places: { 'Two/copied.mp3': A },
  },
  {
    what: 'a name in other case',
    change: ({ at }) => renameSync(at(A), at('One/First/01 - ALPHA.MP3')),
    places: { 'One/First/01 - ALPHA.MP3': A },
  },
  {
    what: 'a retagged file',
    change: ({ at }) => retag(at(A), { TIT2: 'New name', TPE1: 'New artist' }),
    places: { [A]: A },
  },
  {
    what: 'a file moved and retagged in one go',
    change: ({ at }) => {
      renameSync(at(A), at('Two/moved.mp3'));
      retag(at('Two/moved.mp3'), { TIT2: 'New name' });
    },
    places: { 'Two/moved.mp3': A },
  },
  {
    what: 'a folder moved and all in it retagged in one go',
    change: ({ at }) => {
      renameSync(at('One/First'), at('Three'));
      retag(at('Three/01 - Alpha.mp3'), { TIT2: 'x', TALB: 'y' });
      retag(at('Three/02 - Beta.mp3'), { TIT2: 'z', TALB: 'y' });
    },
    places: { 'Three/01 - Alpha.mp3': A, 'Three/02 - Beta.mp3': B },
  },
  {
    what: 'a file replaced by a foreign one with an older time',
    change: ({ at, song }) => {
      copyFileSync(song(FOREIGN_SONG), at(A));
      utimesSync(at(A), 1_000_000_000, 1_000_000_000);
    },
    places: { [A]: A },
    inCopyMode: { places: { [A]: null }, lost: [A] },
  },
  {
    what: 'two files swapped',
    change: ({ at }) => {
      renameSync(at(A), at('tmp.mp3'));
      renameSync(at(D), at(A));
      renameSync(at('tmp.mp3'), at(D));
    },
    places: { [A]: D, [D]: A },
  },
  { what: 'a file moved over another', change: ({ at }) => renameSync(at(B), at(A)), places: { [A]: B }, lost: [A] },
  {
    what: 'a file copied beside itself',
    change: ({ at }) => copyFileSync(at(A), at('One/First/01 - Alpha (1).mp3')),
    places: { 'One/First/01 - Alpha (1).mp3': null },
  },
  { what: 'a deleted file', change: ({ at }) => rmSync(at(A)), places: {}, lost: [A] },
  { what: 'a deleted folder', change: ({ at }) => rmSync(at('Two'), { recursive: true }), places: {}, lost: [D, E] },
  {
    what: 'a link that leads round in a circle',
    change: ({ at }) => symlinkSync(at('One'), at('One/First/loop')),
    places: {},
  },
  {
    what: 'a name in another Unicode spelling',
    files: ({ song }) => ({ 'Am\u00e9lie.mp3': song(0) }),
    change: ({ at }) => renameSync(at('Am\u00e9lie.mp3'), at('Ame\u0301lie.mp3')),
    places: { 'Am\u00e9lie.mp3': 'Am\u00e9lie.mp3' },
  },
  {
    what: 'a deleted folder that is restored from a backup',
    change: ({ at }) => {
      cpSync(at('One'), at('.backup'), { recursive: true, preserveTimestamps: true });
      rmSync(at('One'), { recursive: true });
    },
    later: ({ at }) => cpSync(at('.backup'), at('One'), { recursive: true, preserveTimestamps: true }),
    places: { [A]: A, [B]: B, [C]: C },
  },
  {
    what: 'an MP3 replaced by a FLAC of the same recording',
    files: ({ song, recording }) => ({ 'song.mp3': recording.original, 'other.mp3': song(0) }),
    change: ({ at, recording }) => {
      rmSync(at('song.mp3'));
      mkdirSync(at('better'));
      copyFileSync(recording.flac, at('better/song.flac'));
    },
    places: { 'better/song.flac': 'song.mp3' },
    isFoundLast: true,
    isOfMp3: true,
  },
  {
    what: 'two files swapped and both retagged',
    change: ({ at }) => {
      swap(at(A), at(D));
      retag(at(A), { TIT2: 'Alpha again', TPE1: 'Somebody' });
      retag(at(D), { TIT2: 'Delta again', TPE1: 'Somebody else' });
    },
    places: { [A]: D, [D]: A },
  },
  {
    what: 'two files of one folder swapped and one retagged',
    change: ({ at }) => {
      swap(at(A), at(B));
      retag(at(A), { TIT2: 'Beta in another place' });
    },
    places: { [A]: B, [B]: A },
  },
  {
    what: 'three files gone round in a circle and retagged',
    change: ({ at }) => {
      swap(at(A), at(C));
      swap(at(A), at(E));
      for (const path of [A, C, E]) retag(at(path), { TIT2: `New ${path}` });
    },
    places: { [C]: A, [A]: E, [E]: C },
  },
  {
    what: 'a row of files that each take the name of the next, retagged',
    change: ({ at }) => {
      renameSync(at(C), at('One/Second/02.mp3'));
      renameSync(at(B), at(C));
      renameSync(at(A), at(B));
      for (const path of ['One/Second/02.mp3', C, B]) retag(at(path), { TIT2: `New ${path}` });
    },
    places: { 'One/Second/02.mp3': C, [C]: B, [B]: A },
  },
  {
    what: 'a file moved and retagged, and another one moved to its place and retagged',
    change: ({ at }) => {
      renameSync(at(A), at('Two/was-alpha.mp3'));
      renameSync(at(D), at(A));
      retag(at('Two/was-alpha.mp3'), { TIT2: 'Was Alpha' });
      retag(at(A), { TIT2: 'Was Delta' });
    },
    places: { 'Two/was-alpha.mp3': A, [A]: D },
  },
  {
    what: 'a file moved and retagged, and a foreign one put in its place',
    change: ({ at, song }) => {
      renameSync(at(A), at('Two/was-alpha.mp3'));
      retag(at('Two/was-alpha.mp3'), { TIT2: 'Was Alpha' });
      copyFileSync(song(FOREIGN_SONG), at(A));
    },
    places: { 'Two/was-alpha.mp3': A, [A]: null },
  },
  {
    what: 'a file overwritten with another one, which stays',
    change: ({ at }) => copyFileSync(at(B), at(A)),
    places: { [B]: B, [A]: null },
    lost: [A],
  },
  {
    what: 'a file overwritten with a foreign one, and back in another place after a scan',
    change: ({ at, song }) => {
      renameSync(at(A), at('.away'));
      copyFileSync(song(FOREIGN_SONG), at(A));
    },
    later: ({ at }) => renameSync(at('.away'), at('Two/back.mp3')),
    places: { 'Two/back.mp3': A, [A]: null },
  },
  {
    what: 'a file overwritten with a foreign one, and back in its place after a scan, the foreign one elsewhere',
    change: ({ at, song }) => {
      renameSync(at(A), at('.away'));
      copyFileSync(song(FOREIGN_SONG), at(A));
    },
    later: ({ at }) => {
      renameSync(at(A), at('Two/foreign.mp3'));
      renameSync(at('.away'), at(A));
    },
    places: { [A]: A, 'Two/foreign.mp3': null },
  },
  {
    what: 'a file overwritten with a foreign one, back and retagged elsewhere while the foreign one moves',
    change: ({ at, song }) => {
      renameSync(at(A), at('.away'));
      copyFileSync(song(FOREIGN_SONG), at(A));
    },
    later: ({ at }) => {
      renameSync(at(A), at('Two/foreign.mp3'));
      renameSync(at('.away'), at('Two/back.mp3'));
      retag(at('Two/back.mp3'), { TIT2: 'Back' });
    },
    places: { 'Two/back.mp3': A, 'Two/foreign.mp3': null },
  },
  {
    what: 'one of two files with the same audio overwritten with a foreign one',
    files: ({ song }) => ({ 'a.mp3': song(0), 'b.mp3': song(0), 'c.mp3': song(1) }),
    change: ({ at, song }) => copyFileSync(song(FOREIGN_SONG), at('a.mp3')),
    places: { 'a.mp3': null, 'b.mp3': 'b.mp3' },
    joined: { 'a.mp3': 'b.mp3' },
    isFoundLast: true,
  },
  {
    what: 'the contents of two files exchanged in place',
    change: ({ at }) => {
      const [firstBytes, secondBytes] = [A, B].map((path) => readFileSync(at(path))) as [Buffer, Buffer];
      writeFileSync(at(A), secondBytes);
      writeFileSync(at(B), firstBytes);
    },
    places: { [A]: B, [B]: A },
  },
  {
    what: 'a file copied elsewhere and retagged, and its old place deleted after a scan',
    change: ({ at }) => {
      copyFileSync(at(A), at('Two/sorted.mp3'));
      retag(at('Two/sorted.mp3'), { TIT2: 'Sorted' });
    },
    later: ({ at }) => rmSync(at(A)),
    places: { 'Two/sorted.mp3': null },
    joined: { [A]: 'Two/sorted.mp3' },
    isFoundLast: true,
  },
  {
    what: 'a file that becomes two',
    change: ({ at }) => {
      copyFileSync(at(A), at('Two/a.mp3'));
      renameSync(at(A), at('Two/b.mp3'));
      retag(at('Two/b.mp3'), { TIT2: 'Second' });
    },
    places: { 'Two/a.mp3': A, 'Two/b.mp3': null },
  },
  {
    what: 'two files with the same audio that become one',
    files: ({ song }) => ({ 'a.mp3': song(0), 'b.mp3': song(0), 'c.mp3': song(1) }),
    change: ({ at }) => {
      copyFileSync(at('a.mp3'), at('found.mp3'));
      rmSync(at('a.mp3'));
      rmSync(at('b.mp3'));
    },
    places: { 'found.mp3': 'a.mp3' },
    joined: { 'b.mp3': 'found.mp3' },
    isFoundLast: true,
  },
  {
    what: 'a file that goes, and comes back retagged to another place after a scan',
    change: ({ at }) => renameSync(at(A), at('.away')),
    later: ({ at }) => {
      renameSync(at('.away'), at('Two/back.mp3'));
      retag(at('Two/back.mp3'), { TIT2: 'Back' });
    },
    places: { 'Two/back.mp3': A },
  },
  {
    what: 'a file that grows to its whole length between two scans',
    change: ({ at, song }) => writeFileSync(at('slow.mp3'), readFileSync(song(FOREIGN_SONG)).subarray(0, 20_000)),
    later: ({ at, song }) => writeFileSync(at('slow.mp3'), readFileSync(song(FOREIGN_SONG))),
    places: { 'slow.mp3': null },
  },
];
