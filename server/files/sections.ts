// Finds the tracks inside one audio file, by a CUE sheet beside it or in it. The sheet beside the file is preferred,
// since somebody put it there on purpose. Runs in the reading thread.
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
import { kindOf } from './file-kinds.ts';
import { textOf } from './relative-path.ts';

/** A track inside a file: its range of samples `[start, end)`, and tags from the CUE sheet and the file. */
export interface Section {
  number: number;
  start: number;
  /** Null if the section reaches to the end of the file. */
  end: number | null;
  durationMs: number;
  tags: Tags;
}

/** The tracks in a file. `fault` is the reason why a sheet is not used. */
export interface SplitFile {
  sections?: Section[];
  fault?: string;
}

/** Maximum number of sheets that are read in one folder. */
const MAX_SHEETS = 200;
const stemOf = (name: string): string => (name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : name);
const foldName = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Returns the tracks in a file. Sheets are looked for in `folder`; if it is undefined, only the sheet in the file is
 * used.
 */
export function splitFile(name: string, content: AudioRead, folder: string | Buffer | undefined): SplitFile {
  const { facts, tags } = content;
  const embeddedSheet = tags.cueSheet;
  let fault: string | undefined;
  const adjacentSheets = folder === undefined ? [] : findAdjacentSheets(folder, name);
  for (const { sheetName, sheet, fileIndex } of adjacentSheets) {
    const sections = sectionsOf(sheet, fileIndex, facts);
    if (typeof sections === 'string') fault ??= `the sheet ${sheetName} is not used: ${sections}`;
    else if (sections) return { sections: sections.map((section) => toSection(section, sheet, content)) };
    else return {}; // the sheet describes this file as a single track
  }
  const sections = embeddedSheet && sectionsOf(embeddedSheet, 0, facts);
  if (typeof sections === 'object')
    return { sections: sections.map((section) => toSection(section, embeddedSheet as CueSheet, content)) };
  if (typeof sections === 'string') fault ??= `the cue sheet in the file is not used: ${sections}`;
  return fault === undefined ? {} : { fault };
}

interface MatchingSheet {
  sheetName: string;
  sheet: CueSheet;
  /** Index of the audio file among the files that the sheet names. */
  fileIndex: number;
}

/**
 * A folder with sheets. The folder that was read last is cached, because the next file is mostly in it, and it may have
 * 100,000 files.
 */
interface SheetFolder {
  path: string;
  changedAt: bigint;
  isStable: boolean;
  sheets: string[];
  /** Folded names of the audio files. */
  audioNames: Set<string>;
  /** Number of audio files by their folded names without the extension. */
  stemCounts: Map<string, number>;
  parsedSheets: Map<string, { stamp: string; sheet: CueSheet | undefined }>;
}
let cachedFolder: SheetFolder | undefined;
/** If a folder changed more recently than this, it may change again without a change of its time. */
const STABLE_AFTER_MS = 2_000;

function readSheetFolder(folder: string | Buffer): SheetFolder {
  const path = typeof folder === 'string' ? folder : folder.toString('latin1');
  const changedAt = fs.statSync(folder, { bigint: true }).mtimeNs;
  if (cachedFolder?.path === path && cachedFolder.changedAt === changedAt && cachedFolder.isStable) return cachedFolder;
  const isStable = Number(changedAt / 1_000_000n) < Date.now() - STABLE_AFTER_MS;
  const names = fs.readdirSync(folder, { encoding: 'buffer' }).map(textOf);
  const audioNames = names.filter((name) => kindOf(name) === 'audio').map(foldName);
  const stemCounts = new Map<string, number>();
  for (const name of audioNames) stemCounts.set(stemOf(name), (stemCounts.get(stemOf(name)) ?? 0) + 1);
  const sheets = names.filter((name) => kindOf(name) === 'sheet').sort();
  const parsedSheets =
    cachedFolder?.path === path
      ? cachedFolder.parsedSheets
      : new Map<string, { stamp: string; sheet: CueSheet | undefined }>();
  cachedFolder = {
    path,
    changedAt,
    isStable,
    sheets: sheets.slice(0, MAX_SHEETS),
    audioNames: new Set(audioNames),
    stemCounts,
    parsedSheets,
  };
  return cachedFolder;
}

/** Returns the sheets in a folder that describe this file, the best match first. */
function findAdjacentSheets(folder: string | Buffer, name: string): MatchingSheet[] {
  const sheetFolder = readSheetFolder(folder);
  const matches: (MatchingSheet & { rank: number })[] = [];
  for (const sheetName of sheetFolder.sheets) {
    const sheet = readSheet(pathOf(folder, sheetName), sheetName, sheetFolder);
    const match = sheet && matchSheet(sheet, sheetName, name, sheetFolder);
    if (match) matches.push({ sheetName, sheet, ...match });
  }
  return matches.sort((a, b) => a.rank - b.rank);
}

const pathOf = (folder: string | Buffer, name: string): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), Buffer.from(textToName(name))]);

function readSheet(path: Buffer, name: string, { parsedSheets }: SheetFolder): CueSheet | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true });
    if (!stat.isFile() || stat.size > MAX_SHEET_BYTES) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
    const cachedSheet = parsedSheets.get(name);
    if (cachedSheet?.stamp === stamp) return cachedSheet.sheet;
    const bytes = readPlainFileSync(path, MAX_SHEET_BYTES);
    const sheet = bytes && parseCueSheet(decodeSheet(bytes));
    parsedSheets.set(name, { stamp, sheet });
    return sheet;
  } catch {
    return undefined; // the sheet was removed, or cannot be read
  }
}

/**
 * Returns how well a sheet matches a file. A sheet names its audio file, often with the extension from before a
 * conversion, and sometimes with an old name or not at all. In those cases a sheet matches by its own name, or if the
 * folder has no other audio file.
 */
function matchSheet(
  { files }: CueSheet,
  sheetName: string,
  name: string,
  { audioNames, stemCounts }: SheetFolder,
): { fileIndex: number; rank: number } | undefined {
  const fileNames = files.map((file) => foldName(sheetFileName(file)));
  const stem = stemOf(foldName(name));
  const hasSameName = [foldName(name), stem].includes(foldName(stemOf(sheetName)));
  const exactIndex = fileNames.indexOf(foldName(name));
  if (exactIndex >= 0) return { fileIndex: exactIndex, rank: hasSameName ? 0 : 1 };
  const isMissing = (file: string): boolean => !audioNames.has(file);
  const convertedIndex = fileNames.findIndex((file) => isMissing(file) && stemOf(file) === stem);
  if (convertedIndex >= 0 && stemCounts.get(stem) === 1)
    return { fileIndex: convertedIndex, rank: hasSameName ? 2 : 3 };
  if (fileNames.length > 1 || !fileNames.every(isMissing)) return undefined;
  if (hasSameName) return { fileIndex: 0, rank: 4 };
  return audioNames.size === 1 ? { fileIndex: 0, rank: 5 } : undefined;
}

/** Tags that describe the whole file and not one track in it. */
const WHOLE_FILE_TAGS = [
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
  'listening',
] as const satisfies (keyof Tags)[];
/** Fields of a sheet that are not copied: programs write about themselves there, or toSection reads them itself. */
const SKIPPED_FIELDS = [
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
  const trackFields = new Map(fields);
  const albumFields = new Map(sheet.fields);
  builder.add('title', trackFields.get('TITLE') ?? `Track ${number}`);
  builder.add('track', String(number));
  builder.add('album', albumFields.get('TITLE') ?? '');
  builder.add('artist', trackFields.get('PERFORMER') ?? albumFields.get('PERFORMER') ?? '');
  builder.add('albumArtist', albumFields.get('PERFORMER') ?? '');
  builder.add('composer', trackFields.get('SONGWRITER') ?? albumFields.get('SONGWRITER') ?? '');
  addFields(builder, fields);
  addFields(builder, sheet.fields);
  const trackTags = builder.finish();
  const fileTags = structuredClone(tags);
  for (const name of WHOLE_FILE_TAGS) delete fileTags[name];
  if (fileTags.replayGain) {
    delete fileTags.replayGain.trackGainDb;
    delete fileTags.replayGain.trackPeak;
  }
  fillGaps(trackTags, fileTags);
  // the tracks of a file are one album, so they need a common album artist
  if (trackTags.albumArtists.length === 0)
    if (hasSeveralArtists(sheet)) trackTags.compilation ??= true;
    else fillAlbumArtist(trackTags, fileTags);
  const length = ((end ?? (facts.durationMs * facts.sampleRateHz) / 1_000) - start) / facts.sampleRateHz;
  return { number, start, end, durationMs: length * 1_000, tags: trackTags };
}

function addFields(builder: TagBuilder, fields: SheetFields): void {
  for (const [name, value] of fields) {
    const field = fieldOfName(name);
    if (field !== undefined && !SKIPPED_FIELDS.includes(field)) builder.add(field, value);
  }
}

const hasSeveralArtists = ({ tracks }: CueSheet): boolean =>
  new Set(tracks.map(({ fields }) => new Map(fields).get('PERFORMER')).filter((performer) => performer !== undefined))
    .size > 1;

function fillAlbumArtist(tags: Tags, { artists, artist }: Tags): void {
  tags.albumArtists = artists;
  if (artist !== undefined) tags.albumArtist = artist;
}

/** Format in which a section is sent to listeners: lossless, whatever format the file has. */
const SECTION_FORMAT = 'flac';

/**
 * Returns the properties of a section as it is sent. For a lossy file its bit rate is higher than the file's, so that
 * limits of what may be sent still apply.
 */
export function sectionFacts(facts: AudioFacts, { durationMs }: Pick<Section, 'durationMs'>): AudioFacts {
  const { sampleRateHz, channels, bitDepth = 16 } = facts;
  const estimatedKbps = Math.round((sampleRateHz * channels * bitDepth * 0.6) / 1_000);
  const { encoderDelay: _delay, encoderPadding: _padding, payload: _payload, ...otherFacts } = facts;
  return {
    ...otherFacts,
    format: SECTION_FORMAT,
    codec: SECTION_FORMAT,
    durationMs,
    bitrateKbps: facts.lossless ? facts.bitrateKbps : estimatedKbps,
  };
}
