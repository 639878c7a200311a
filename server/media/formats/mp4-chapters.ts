// Reads chapters of MP4 files: the list that Nero's programs write (`chpl`), and QuickTime's text track that the audio
// track refers to (`tref` `chap`), which iTunes and audiobook shops write.
import { u16be, u32be, u64be } from '../integers.ts';
import { MAX_CHAPTERS, MAX_NAME_CHARACTERS } from '../limits.ts';
import { decodeUtf16, decodeUtf8, toOneLine } from '../text.ts';
import type { Chapter } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { atom, type AtomReader } from './mp4-atoms.ts';

/** Units of `chpl` per millisecond. */
const NERO_UNITS = 10_000;

/** Reads Nero's chapters; `[at, end)` is the body of `chpl`. */
export function readNeroChapters(window: Window, position: number, end: number): Chapter[] {
  const i = window.at(position, Math.min(end - position, 16 << 10, window.size - position));
  if (i < 0) return [];
  const b = window.bytes;
  const limit = i + Math.min(end - position, 16 << 10);
  let k = i + (b[i] === 0 ? 4 : 8);
  const chapters: Chapter[] = [];
  for (let remaining = b[k++] ?? 0; remaining > 0 && k + 9 <= limit; remaining--) {
    const length = b[k + 8] as number;
    if (k + 9 + length > limit) break;
    chapters.push({ startMs: Math.round(u64be(b, k) / NERO_UNITS), title: titleOf(b, k + 9, k + 9 + length) });
    k += 9 + length;
  }
  return chapters;
}

const TKHD = atom('tkhd');
const TREF = atom('tref');
const CHAP = atom('chap');
const MDIA = atom('mdia');
const MDHD = atom('mdhd');
const MINF = atom('minf');
const STBL = atom('stbl');
const STTS = atom('stts');
const STSZ = atom('stsz');
const STSC = atom('stsc');
const STCO = atom('stco');
const CO64 = atom('co64');

/** Ranges of the tables of a track, by the names of their atoms. */
type Tables = Map<number, { position: number; end: number }>;

/**
 * Reads the chapters from the track that another track refers to for its chapters; `tracks` are the bodies of all
 * `trak`.
 */
export function readChapterTrack(atoms: AtomReader, tracks: { start: number; end: number }[]): Chapter[] {
  const trackTables = tracks.map(({ start, end }) => tablesOf(atoms, start, end));
  const chapterTrackId = trackTables
    .map((tables) => numberAt(atoms.window, tables.get(CHAP)?.position))
    .find((id) => id !== undefined);
  const track = trackTables.find(
    (tables) => chapterTrackId !== undefined && trackId(atoms.window, tables) === chapterTrackId,
  );
  return track ? chaptersOf(atoms.window, track) : [];
}

function tablesOf(atoms: AtomReader, start: number, limit: number): Tables {
  const tables: Tables = new Map();
  const visit = (name: number, position: number, end: number): void => {
    if (name === TREF || name === MDIA || name === MINF || name === STBL) atoms.each(position, end, visit);
    else if ([TKHD, CHAP, MDHD, STTS, STSZ, STSC, STCO, CO64].includes(name)) tables.set(name, { position, end });
  };
  atoms.each(start, limit, visit);
  return tables;
}

function numberAt(window: Window, position: number | undefined): number | undefined {
  const i = position === undefined ? -1 : window.at(position, 4);
  return i < 0 ? undefined : u32be(window.bytes, i);
}

function trackId(window: Window, tables: Tables): number | undefined {
  const position = tables.get(TKHD)?.position;
  const version = position === undefined ? undefined : numberAt(window, position);
  return position === undefined || version === undefined
    ? undefined
    : numberAt(window, position + (version >>> 24 === 1 ? 20 : 12));
}

function chaptersOf(window: Window, tables: Tables): Chapter[] {
  const head = tables.get(MDHD)?.position;
  const version = numberAt(window, head);
  if (head === undefined || version === undefined) return [];
  const timescale = numberAt(window, head + (version >>> 24 === 1 ? 20 : 12)) ?? 0;
  if (timescale === 0) return [];
  const positions = listSamplePositions(window, tables);
  const lengths = listDurations(window, tables.get(STTS), positions.length);
  let time = 0;
  return positions.map(({ position, size }, n) => {
    const startMs = Math.round((time * 1_000) / timescale);
    time += lengths[n] ?? 0;
    return { startMs, title: sampleText(window, position, size) };
  });
}

/** Reads the numbers of a table: a count at `skip`, then entries of `width` numbers. */
function readEntries(
  window: Window,
  table: { position: number; end: number } | undefined,
  { skip = 4, width = 1, bytes = 4 }: { skip?: number; width?: number; bytes?: 4 | 8 } = {},
): number[][] {
  const count = Math.min(numberAt(window, table && table.position + skip) ?? 0, MAX_CHAPTERS);
  if (!table) return [];
  const size = width * bytes;
  const firstEntryAt = table.position + skip + 4;
  const i = window.at(firstEntryAt, Math.max(0, Math.min(count * size, table.end - firstEntryAt)));
  if (i < 0) return [];
  const availableCount = Math.min(count, Math.floor((table.end - firstEntryAt) / size));
  return Array.from({ length: Math.max(0, availableCount) }, (_, n) =>
    Array.from({ length: width }, (__, k) => {
      const position = i + n * size + k * bytes;
      return bytes === 8 ? u64be(window.bytes, position) : u32be(window.bytes, position);
    }),
  );
}

function listDurations(window: Window, table: { position: number; end: number } | undefined, limit: number): number[] {
  const lengths: number[] = [];
  for (const [count = 0, length = 0] of readEntries(window, table, { width: 2 }))
    for (let n = 0; n < count && lengths.length < limit; n++) lengths.push(length);
  return lengths;
}

function listSamplePositions(window: Window, tables: Tables): { position: number; size: number }[] {
  const sizes = readEntries(window, tables.get(STSZ), { skip: 8 }).map(([size = 0]) => size);
  const chunks = (
    tables.has(CO64) ? readEntries(window, tables.get(CO64), { bytes: 8 }) : readEntries(window, tables.get(STCO))
  ).map(([position = 0]) => position);
  const runs = readEntries(window, tables.get(STSC), { width: 3 });
  const positions: { position: number; size: number }[] = [];
  for (const [n, start] of chunks.entries()) {
    const [, perChunk = 1] = runs.findLast(([firstChunk = 1]) => firstChunk <= n + 1) ?? [];
    let position = start;
    for (let k = 0; k < perChunk && positions.length < sizes.length; k++) {
      const size = sizes[positions.length] as number;
      positions.push({ position, size });
      position += size;
    }
  }
  return positions;
}

/**
 * Reads a sample of a text track: the length of its text, then the text in UTF-8, or in UTF-16 with a byte order mark.
 */
function sampleText(window: Window, position: number, size: number): string {
  const i = window.at(position, Math.min(size, 2 + MAX_NAME_CHARACTERS));
  if (i < 0 || size < 2) return '';
  const length = Math.min(u16be(window.bytes, i), size - 2, MAX_NAME_CHARACTERS);
  return titleOf(window.bytes, i + 2, i + 2 + length);
}

function titleOf(b: Buffer, start: number, end: number): string {
  const mark = end - start >= 2 ? u16be(b, start) : 0;
  const isUtf16 = mark === 0xfeff || mark === 0xfffe;
  return toOneLine(isUtf16 ? decodeUtf16(b, start, end, true) : decodeUtf8(b, start, end), MAX_NAME_CHARACTERS);
}
