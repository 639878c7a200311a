// The tracks inside one audio file, by a cue sheet beside or in it. The sheet beside it wins, since somebody put it
// there on purpose. Runs in the reading thread.
import fs from 'node:fs';
import {
  decodeSheet,
  MAX_SHEET_BYTES,
  parseCueSheet,
  sectionsOf,
  sheetFileName,
  type SheetSection,
} from '../media/cue-sheet.ts';
import { fieldOfName } from '../media/field-names.ts';
import { fillGaps, TagBuilder } from '../media/tag-builder.ts';
import type { AudioFacts, AudioRead, CueSheet, SheetFields, Tags } from '../media/types.ts';
import { readPlainFileSync } from '../runtime/plain-files.ts';
import { textToName } from '../storage/file-names.ts';
import { kindOf } from './music-names.ts';
import { textOf } from './relative-path.ts';

/** A track inside a file: samples `[start, end)` of it, and what the sheet and the file's tags say. */
export interface Section {
  number: number;
  start: number;
  /** Null: to the end of the file. */
  end: number | null;
  durationMs: number;
  tags: Tags;
}

/** `fault`: why a sheet is not used. */
export interface SplitFile {
  sections?: Section[];
  fault?: string;
}

/** In a folder. */
const MOST_SHEETS = 200;
const stemOf = (name: string): string => (name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : name);
const folded = (name: string): string => name.normalize('NFC').toLowerCase();

/** `folder` is where sheets are looked for; undefined: only in the file. */
export function splitFile(name: string, content: AudioRead, folder: string | Buffer | undefined): SplitFile {
  const { facts, tags } = content;
  const inside = tags.cueSheet;
  let fault: string | undefined;
  const found = folder === undefined ? [] : sheetsBeside(folder, name);
  for (const { sheetName, sheet, file } of found) {
    const sections = sectionsOf(sheet, file, facts);
    if (typeof sections === 'string') fault ??= `the sheet ${sheetName} is not used: ${sections}`;
    else if (sections) return { sections: sections.map((one) => toSection(one, sheet, content)) };
    else return {}; // it says that this file is one track
  }
  const sections = inside && sectionsOf(inside, 0, facts);
  if (typeof sections === 'object')
    return { sections: sections.map((one) => toSection(one, inside as CueSheet, content)) };
  if (typeof sections === 'string') fault ??= `the cue sheet in the file is not used: ${sections}`;
  return fault === undefined ? {} : { fault };
}

interface FoundSheet {
  sheetName: string;
  sheet: CueSheet;
  /** Of its files, which one that is. */
  file: number;
}

/** A folder with sheets. Kept for the next file, which is mostly of the same folder: there may be 100,000. */
interface SheetFolder {
  path: string;
  changedAt: bigint;
  isSettled: boolean;
  sheets: string[];
  /** Names of audio files, folded. */
  audio: Set<string>;
  /** How many of them have a name without its ending. */
  stems: Map<string, number>;
  parsed: Map<string, { stamp: string; sheet: CueSheet | undefined }>;
}
let latest: SheetFolder | undefined;
/** A folder that changed just now may change again without another time. */
const SETTLED_MS = 2_000;

function readFolder(folder: string | Buffer): SheetFolder {
  const path = typeof folder === 'string' ? folder : folder.toString('latin1');
  const changedAt = fs.statSync(folder, { bigint: true }).mtimeNs;
  if (latest?.path === path && latest.changedAt === changedAt && latest.isSettled) return latest;
  const isSettled = Number(changedAt / 1_000_000n) < Date.now() - SETTLED_MS;
  const names = fs.readdirSync(folder, { encoding: 'buffer' }).map(textOf);
  const audio = names.filter((name) => kindOf(name) === 'audio').map(folded);
  const stems = new Map<string, number>();
  for (const name of audio) stems.set(stemOf(name), (stems.get(stemOf(name)) ?? 0) + 1);
  const sheets = names.filter((name) => kindOf(name) === 'sheet').sort();
  const parsed =
    latest?.path === path ? latest.parsed : new Map<string, { stamp: string; sheet: CueSheet | undefined }>();
  latest = { path, changedAt, isSettled, sheets: sheets.slice(0, MOST_SHEETS), audio: new Set(audio), stems, parsed };
  return latest;
}

/** The sheets of a folder that mean this file, best first. */
function sheetsBeside(folder: string | Buffer, name: string): FoundSheet[] {
  const there = readFolder(folder);
  const found: (FoundSheet & { rank: number })[] = [];
  for (const sheetName of there.sheets) {
    const sheet = readSheet(pathOf(folder, sheetName), sheetName, there);
    const match = sheet && matchOf(sheet, sheetName, name, there);
    if (match) found.push({ sheetName, sheet, ...match });
  }
  return found.sort((a, b) => a.rank - b.rank);
}

const pathOf = (folder: string | Buffer, name: string): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), Buffer.from(textToName(name))]);

function readSheet(path: Buffer, name: string, { parsed }: SheetFolder): CueSheet | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true });
    if (!stat.isFile() || stat.size > MAX_SHEET_BYTES) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
    const known = parsed.get(name);
    if (known?.stamp === stamp) return known.sheet;
    const bytes = readPlainFileSync(path, MAX_SHEET_BYTES);
    const sheet = bytes && parseCueSheet(decodeSheet(bytes));
    parsed.set(name, { stamp, sheet });
    return sheet;
  } catch {
    return undefined; // it was removed, or may not be read
  }
}

/**
 * A sheet names its file; often with the ending that it had before it was converted, and sometimes not at all, or as it
 * was called before. Then the sheet's own name counts, or that there is no other audio.
 */
function matchOf(
  { files }: CueSheet,
  sheetName: string,
  name: string,
  { audio, stems }: SheetFolder,
): { file: number; rank: number } | undefined {
  const written = files.map((file) => folded(sheetFileName(file)));
  const stem = stemOf(folded(name));
  const isSheets = [folded(name), stem].includes(folded(stemOf(sheetName)));
  const exact = written.indexOf(folded(name));
  if (exact >= 0) return { file: exact, rank: isSheets ? 0 : 1 };
  const isFree = (file: string): boolean => !audio.has(file);
  const renamed = written.findIndex((file) => isFree(file) && stemOf(file) === stem);
  if (renamed >= 0 && stems.get(stem) === 1) return { file: renamed, rank: isSheets ? 2 : 3 };
  if (written.length > 1 || !written.every(isFree)) return undefined;
  if (isSheets) return { file: 0, rank: 4 };
  return audio.size === 1 ? { file: 0, rank: 5 } : undefined;
}

/** Of the whole file, and not of a track in it. */
const NOT_OF_TRACKS = [
  'title',
  'titleSort',
  'trackNumber',
  'trackTotal',
  'recordingMbid',
  'acoustidId',
  'lyrics',
  'chapters',
  'isrc',
  'cueSheet',
] as const satisfies (keyof Tags)[];
/** What programs write about themselves. */
const NOT_READ = [
  'comment',
  'lyrics',
  'cueSheet',
  'track',
  'trackTotal',
  'title',
  'album',
  'artist',
  'albumArtist',
  'performer',
];

function toSection({ number, start, end, fields }: SheetSection, sheet: CueSheet, { facts, tags }: AudioRead): Section {
  const builder = new TagBuilder();
  const own = new Map(fields);
  const common = new Map(sheet.fields);
  builder.add('title', own.get('TITLE') ?? `Track ${number}`);
  builder.add('track', String(number));
  builder.add('album', common.get('TITLE') ?? '');
  builder.add('artist', own.get('PERFORMER') ?? common.get('PERFORMER') ?? '');
  builder.add('albumArtist', common.get('PERFORMER') ?? '');
  builder.add('composer', own.get('SONGWRITER') ?? common.get('SONGWRITER') ?? '');
  addFields(builder, fields);
  addFields(builder, sheet.fields);
  const made = builder.finish();
  const whole = structuredClone(tags);
  for (const name of NOT_OF_TRACKS) delete whole[name];
  if (whole.replayGain) {
    delete whole.replayGain.trackGainDb;
    delete whole.replayGain.trackPeak;
  }
  fillGaps(made, whole);
  // one file is one album
  if (made.albumArtists.length === 0)
    if (hasSeveralArtists(sheet)) made.compilation ??= true;
    else fillAlbumArtist(made, whole);
  const length = ((end ?? (facts.durationMs * facts.sampleRateHz) / 1_000) - start) / facts.sampleRateHz;
  return { number, start, end, durationMs: length * 1_000, tags: made };
}

function addFields(builder: TagBuilder, fields: SheetFields): void {
  for (const [name, value] of fields) {
    const field = fieldOfName(name);
    if (field !== undefined && !NOT_READ.includes(field)) builder.add(field, value);
  }
}

const hasSeveralArtists = ({ tracks }: CueSheet): boolean =>
  new Set(tracks.map(({ fields }) => new Map(fields).get('PERFORMER')).filter((one) => one !== undefined)).size > 1;

function fillAlbumArtist(tags: Tags, { artists, artist }: Tags): void {
  tags.albumArtists = artists;
  if (artist !== undefined) tags.albumArtist = artist;
}

/** As it is sent to listeners: without loss, whatever the file is. */
const SECTION_FORMAT = 'flac';

/** Of a lossy file this is more than the file has, so that limits of what may be sent still hold. */
export function sectionFacts(facts: AudioFacts, { durationMs }: Pick<Section, 'durationMs'>): AudioFacts {
  const { sampleRateHz, channels, bitDepth = 16 } = facts;
  const compressed = Math.round((sampleRateHz * channels * bitDepth * 0.6) / 1_000);
  const { encoderDelay: _delay, encoderPadding: _padding, payload: _payload, ...kept } = facts;
  return {
    ...kept,
    format: SECTION_FORMAT,
    codec: SECTION_FORMAT,
    durationMs,
    bitrateKbps: facts.lossless ? facts.bitrateKbps : compressed,
  };
}
