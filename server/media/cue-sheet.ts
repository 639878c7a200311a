// Parses cue sheets: where the tracks of one long audio file begin, and their titles. Programs write them carelessly,
// so the parser accepts as much as possible. Names in a sheet are never opened, only compared with existing names.
// https://wiki.hydrogenaud.io/index.php?title=Cue_sheet
import { isUtf8 } from 'node:buffer';
import { decodeCharset, detectCharsets, USUAL_CHARSET } from './charset.ts';
import { MAX_NAME_CHARACTERS } from './limits.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { decodeUtf16 } from './text.ts';
import type { CueSheet, SheetFields, SheetTrack } from './types.ts';

/** Shorter audio before the first track belongs to that track; longer audio is a hidden track. */
const MIN_HIDDEN_TRACK_SECONDS = 4;
const HIDDEN_TITLE = 'Hidden Track';
/** Frames per second of a compact disc, the time unit of cue sheets. */
const FRAMES_PER_SECOND = 75;
/** Limits of the size, the number of tracks, and the number of fields of an album or a track. */
const { bytes, tracks: MAX_TRACKS, fields: MAX_FIELDS } = TEXT_LIMITS.cueSheet;
export const MAX_SHEET_BYTES = bytes;

/** A track of a file, which has the samples `[start, end)`. */
export interface SheetSection {
  number: number;
  start: number;
  /** Null if the track ends with the file. */
  end: number | null;
  fields: SheetFields;
}

/** Decodes a sheet; without a byte order mark its charset is detected from its names. */
export function decodeSheet(bytes: Buffer): string {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfeff || mark === 0xfffe) return decodeUtf16(bytes, 0, bytes.length, false);
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\ufeff/, '');
  const [charset = USUAL_CHARSET] = detectCharsets([foreignNames(bytes)]);
  return decodeCharset(bytes, charset);
}

/** Returns those values of commands that are not ASCII. */
const foreignNames = (bytes: Buffer): Buffer[] =>
  bytes
    .toString('latin1')
    .split(/[\r\n]+/)
    .map((line) => withoutQuotes(/^\w+\s(.*)$/.exec(line.trim())?.[1]?.trimStart() ?? ''))
    .filter((name) => /[\x80-\xff]/.test(name))
    .map((name) => Buffer.from(name, 'latin1'));

/** Returns undefined when the text is no cue sheet. */
export function parseCueSheet(text: string): CueSheet | undefined {
  const sheet: CueSheet = { files: [], fields: [], tracks: [], unitsPerSecond: FRAMES_PER_SECOND };
  /** Tracks without index 1: only their gap is known. */
  const gapTracks = new Set<SheetTrack>();
  let track: SheetTrack | undefined;
  let isAudio = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, command = '', argumentText = ''] = /^([A-Za-z]+)\s(.*)$/s.exec(line.trim()) ?? [];
    const argument = argumentText.trimStart();
    switch (command.toUpperCase()) {
      case 'FILE':
        sheet.files.push(fileName(argument));
        break;
      case 'TRACK': {
        const [, digits, kind = 'AUDIO'] = /^(\d{1,4})(?:\s+(\S+))?/.exec(argument) ?? [];
        isAudio = kind.toUpperCase() === 'AUDIO';
        track = undefined;
        if (digits === undefined) sheet.fault ??= 'a track in it has no number';
        else if (isAudio) {
          if (sheet.tracks.length === MAX_TRACKS) sheet.fault ??= `it has more than ${MAX_TRACKS} tracks`;
          track = {
            number: Number(digits),
            startUnits: undefined,
            file: Math.max(0, sheet.files.length - 1),
            fields: [],
          };
          gapTracks.add(track);
          if (sheet.tracks.length < MAX_TRACKS) sheet.tracks.push(track);
        }
        break;
      }
      case 'INDEX':
        if (track && readIndex(sheet, track, argument) === 1) gapTracks.delete(track);
        break;
      case 'REM': {
        const [, name, value] = /^(\S+)\s(.+)$/s.exec(argument) ?? [];
        if (name !== undefined && value !== undefined && isAudio) addField(track ?? sheet, name, value.trimStart());
        break;
      }
      case 'TITLE':
      case 'PERFORMER':
      case 'SONGWRITER':
      case 'ISRC':
        if (isAudio) addField(track ?? sheet, command, argument);
    }
  }
  // the gap of a track at the end of the previous file is no track of that file
  if (sheet.files.length > 1 && gapTracks.size < sheet.tracks.length)
    sheet.tracks = sheet.tracks.filter((sheetTrack) => !gapTracks.has(sheetTrack));
  return sheet.files.length + sheet.tracks.length === 0 ? undefined : sheet;
}

function addField({ fields }: { fields: SheetFields }, name: string, value: string): void {
  if (fields.length < MAX_FIELDS) fields.push([name.toUpperCase(), withoutQuotes(value.slice(0, MAX_NAME_CHARACTERS))]);
}

/**
 * Reads an index and returns its number. A track begins at its index 1; audio before it belongs to the previous track.
 */
function readIndex(sheet: CueSheet, track: SheetTrack, text: string): number | undefined {
  const [, digits, minutes, seconds, frames = '0'] =
    /^(\d{1,3})\s+(\d{1,5}):(\d{1,2})(?:[:.](\d{1,2}))?$/.exec(text) ?? [];
  if (digits === undefined || Number(seconds) > 59 || Number(frames) >= FRAMES_PER_SECOND) {
    sheet.fault ??= `index “${text.slice(0, 40)}” of track ${track.number} is not a time`;
    return undefined;
  }
  const index = Number(digits);
  if (index > 1 || (index === 0 && track.startUnits !== undefined)) return index;
  track.startUnits = (Number(minutes) * 60 + Number(seconds)) * FRAMES_PER_SECOND + Number(frames);
  track.file = Math.max(0, sheet.files.length - 1); // the gap may be at the end of the previous file
  return index;
}

/** Returns the file name of `"name" WAVE`, with or without quotes and type. */
function fileName(text: string): string {
  const quotedName = /^"(.*)"/.exec(text)?.[1];
  if (quotedName !== undefined) return quotedName;
  const unquotedText = text.replace(/^"/, '');
  return unquotedText.replace(/\s(?:WAVE|MP3|AIFF|BINARY|MOTOROLA|FLAC)$/i, '').trimEnd();
}

/** Removes quotes; the closing quote is sometimes missing. */
const withoutQuotes = (text: string): string => (text.startsWith('"') ? text.slice(1).replace(/"$/, '') : text).trim();

/** Returns the last part of a path of any system. */
export const sheetFileName = (file: string): string =>
  file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);

/**
 * Returns the tracks of one of the sheet's files. Returns a sentence when the sheet contradicts itself or the file, and
 * undefined when the file is a single track.
 */
export function sectionsOf(
  sheet: CueSheet,
  file: number,
  { durationMs, sampleRateHz }: { durationMs: number; sampleRateHz: number },
): SheetSection[] | string | undefined {
  if (sheet.fault !== undefined) return sheet.fault;
  const tracks = sheet.tracks.filter((track) => track.file === file);
  if (tracks.length < 2) return sheet.tracks.length === 0 ? 'it has no tracks' : undefined;
  const length = (durationMs * sampleRateHz) / 1_000;
  if (sheet.endUnits !== undefined && sheet.endUnits / sheet.unitsPerSecond > durationMs / 1_000 + MAX_MISSING_SECONDS)
    return 'it belongs to a longer file';
  const sections: SheetSection[] = [];
  const hasDistinctNumbers = new Set(tracks.map(({ number }) => number)).size === tracks.length;
  for (const [i, { number: writtenNumber, startUnits, fields }] of tracks.entries()) {
    const number = hasDistinctNumbers ? writtenNumber : i + 1;
    if (startUnits === undefined) return `track ${number} has no index`;
    const start = Math.round((startUnits * sampleRateHz) / sheet.unitsPerSecond);
    const previousSection = sections.at(-1);
    if (previousSection && start <= previousSection.start)
      return `track ${number} begins before track ${previousSection.number} ends`;
    if (start >= length) return `track ${number} begins after the end of the file`;
    if (previousSection) previousSection.end = start;
    sections.push({ number, start, end: null, fields });
  }
  return withHidden(sections, sampleRateHz);
}

/** A file may end this much before the end that its sheet names. */
const MAX_MISSING_SECONDS = 2;

/** Adds long audio before the first track as a hidden track; shorter audio becomes part of the first track. */
function withHidden(sections: SheetSection[], sampleRateHz: number): SheetSection[] {
  const [firstSection] = sections;
  if (!firstSection || firstSection.start === 0) return sections;
  const { number, start } = firstSection;
  const isFree = number > 0 && sections.every((section) => section.number !== number - 1);
  if (start > MIN_HIDDEN_TRACK_SECONDS * sampleRateHz && isFree)
    return [{ number: number - 1, start: 0, end: start, fields: [['TITLE', HIDDEN_TITLE]] }, ...sections];
  firstSection.start = 0;
  return sections;
}
