// Parses ID3v2 frames. https://id3.org/id3v2.4.0-frames
import { isCustomTag } from '../../db/custom-tags.ts';
import { MORE_TAG_LIST, namesOfMore, type MoreTag } from '../../db/more-tags.ts';
import { TAGGED_FIELDS } from '../../db/track-fields.ts';
import { parseDate, parseUuids, withDay } from '../field-values.ts';
import { fieldOfName } from '../field-names.ts';
import { parseId3Genre } from '../genres.ts';
import { fourCc, threeCc } from '../integers.ts';
import { MAX_LIST_VALUES, MAX_NAME_CHARACTERS, MAX_LYRICS } from '../limits.ts';
import { declaredMime, sniffPicture } from '../picture-mime.ts';
import type { TagBuilder, TextField } from '../tag-builder.ts';
import { splitKnownGenres } from '../tag-separators.ts';
import { toOneLine, indexOfNul, splitValues, trimmed } from '../text.ts';
import { readRva2 } from './id3-gain.ts';
import { readSyncedLyrics } from './id3-synced-lyrics.ts';
import { afterTerminator, decodeText } from './id3-text.ts';

/** Text frames with one field. After the field: the frame's name in v2.3 and v2.4, then its name in v2.2. */
const TEXT_FRAMES: [TextField, ...string[]][] = [
  ['title', 'TIT2', 'TT2'],
  ['album', 'TALB', 'TAL'],
  ['albumArtist', 'TPE2', 'TP2'],
  ['track', 'TRCK', 'TRK'],
  ['disc', 'TPOS', 'TPA'],
  ['date', 'TDRC'],
  ['releaseDate', 'TDRL'],
  ['compilation', 'TCMP', 'TCP'],
  ['discSubtitle', 'TSST'],
  ['titleSort', 'TSOT', 'TST'],
  ['titleSort', 'XSOT'],
  ['artistSort', 'TSOP', 'TSP'],
  ['artistSort', 'XSOP'],
  ['albumSort', 'TSOA', 'TSA'],
  ['albumSort', 'XSOA'],
  ['albumArtistSort', 'TSO2', 'TS2'],
  ...TAGGED_FIELDS.map(({ field, tags }): [TextField, ...string[]] => [field, ...(tags.id3 ?? [])]),
  ...MORE_TAG_LIST.map((tag): [TextField, ...string[]] => [tag, ...(namesOfMore(tag).id3 ?? [])]),
];
/** Frames with rules of their own. */
const SPECIAL_FRAMES = {
  TPE1: 'artist',
  TP1: 'artist',
  TYER: 'year',
  TYE: 'year',
  TDAT: 'day',
  TDA: 'day',
  TCON: 'genre',
  TCO: 'genre',
  TXXX: 'named',
  TXX: 'named',
  UFID: 'id',
  UFI: 'id',
  COMM: 'comment',
  COM: 'comment',
  USLT: 'lyrics',
  ULT: 'lyrics',
  TIPL: 'people',
  TMCL: 'people',
  IPLS: 'people',
  IPL: 'people',
  SYLT: 'synced',
  SLT: 'synced',
  RVA2: 'gain',
  POPM: 'popularity',
  POP: 'popularity',
  PCNT: 'plays',
  CNT: 'plays',
  APIC: 'picture',
  PIC: 'picture',
} as const;
type SpecialFrame = (typeof SPECIAL_FRAMES)[keyof typeof SPECIAL_FRAMES];

const packName = (name: string): number => (name.length === 3 ? threeCc(name) : fourCc(name));
const textFields = new Map<number, TextField>();
for (const [field, ...names] of TEXT_FRAMES) for (const name of names) textFields.set(packName(name), field);
const specialFrames = new Map<number, SpecialFrame>(
  Object.entries(SPECIAL_FRAMES).map(([name, kind]) => [packName(name), kind]),
);

export const isPictureFrame = (name: number): boolean => specialFrames.get(name) === 'picture';
export const isSupportedFrame = (name: number): boolean => textFields.has(name) || specialFrames.has(name);

const MUSICBRAINZ = 'http://musicbrainz.org';
/** Fields with several values, separated by NUL; for other fields, only the first value counts. */
const LIST_FIELDS: ReadonlySet<TextField> = new Set([
  ...TAGGED_FIELDS.flatMap(({ field, isList }) => (isList ? [field] : [])),
  ...MORE_TAG_LIST,
  'albumArtist',
  'albumArtistList',
  'artistMbids',
  'albumArtistMbids',
  'genre',
]);

/** Roles of TIPL that have a tag of their own elsewhere; people in other roles are performers. */
const INVOLVED_ROLES = new Map<string, MoreTag | 'composer'>([
  ['composer', 'composer'],
  ['arranger', 'arranger'],
  ['engineer', 'engineer'],
  ['producer', 'producer'],
  ['director', 'director'],
  ['conductor', 'conductor'],
  ['lyricist', 'lyricist'],
  ['writer', 'lyricist'],
  ['remixer', 'remixer'],
  ['mix', 'mixer'],
  ['mixer', 'mixer'],
  ['dj-mix', 'djmixer'],
]);
/** Roles that name no instrument. */
const PLAIN_PERFORMER_ROLES = new Set(['', 'performer', 'musician']);

const MAX_OWNER_BYTES = 256;
const MAX_COUNTER_BYTES = 16;

/** Adds the frames of a tag to a builder. Artists are added last, since splitting them depends on other frames. */
export class Id3Frames {
  readonly #builder: TagBuilder;
  readonly #version: number;
  #artist = '';
  #artistList = '';
  #year = '';
  #day = '';

  constructor(builder: TagBuilder, version: number) {
    this.#builder = builder;
    this.#version = version;
  }

  frame(name: number, b: Buffer, start: number, end: number): void {
    if (end <= start) return;
    const field = textFields.get(name);
    if (field !== undefined) {
      this.#text(field, decodeText(b[start] as number, b, start + 1, end));
      return;
    }
    switch (specialFrames.get(name)) {
      case 'artist':
        this.#addArtist(decodeText(b[start] as number, b, start + 1, end));
        return;
      case 'year':
        this.#year ||= trimmed(decodeText(b[start] as number, b, start + 1, end));
        return;
      case 'day':
        this.#day ||= trimmed(decodeText(b[start] as number, b, start + 1, end));
        return;
      case 'genre':
        for (const value of splitValues(decodeText(b[start] as number, b, start + 1, end), '\0', MAX_LIST_VALUES)) {
          for (const genre of parseId3Genre(value).flatMap(this.#version < 4 ? splitKnownGenres : (name) => [name]))
            this.#builder.add('genre', genre);
        }
        return;
      case 'named':
        this.#named(b, start, end);
        return;
      case 'id':
        this.#identifier(b, start, end);
        return;
      case 'comment':
        this.#comment(b, start, end);
        return;
      case 'people':
        this.#people(decodeText(b[start] as number, b, start + 1, end));
        return;
      case 'lyrics':
        this.#lyrics(b, start, end);
        return;
      case 'synced':
        this.#builder.addLyrics(readSyncedLyrics(b, start, end));
        return;
      case 'gain':
        readRva2(b, start, end, this.#builder);
        return;
      case 'popularity':
        this.#popularity(b, start, end);
        return;
      case 'plays':
        this.#builder.listening.addPlayCount(readCounter(b, start, end));
        return;
      default:
        return;
    }
  }

  /**
   * Adds a picture. `b[start, end)` is the whole frame or its start. The frame's body has `size` bytes and begins at
   * `fileAt` in the file; `fileAt` is negative if the body is encoded.
   */
  picture(b: Buffer, start: number, end: number, fileAt: number, size: number, keepPicture: boolean): void {
    const encoding = b[start] as number;
    let i = start + 1;
    let mime: string;
    if (this.#version === 2) {
      mime = b.toString('latin1', i, i + 3);
      i += 3;
    } else {
      const nul = indexOfNul(b, i, end);
      if (nul < 0) return;
      mime = b.toString('latin1', i, nul);
      i = nul + 1;
    }
    if (mime === '-->') return; // the frame has a link instead of a picture
    const kind = b[i] as number;
    const data = afterTerminator(encoding, b, i + 1, end);
    if (data < 0 || data >= end) return;
    const picture = { mime: sniffPicture(b, data) ?? declaredMime(mime), kind };
    if (keepPicture) this.#builder.addPicture({ ...picture, bytes: Buffer.from(b.subarray(data, end)) });
    else if (fileAt < 0) this.#builder.addPicture(picture);
    else this.#builder.addPicture({ ...picture, position: fileAt + data - start, length: size - (data - start) });
  }

  finish(): void {
    const builder = this.#builder;
    if (this.#year !== '') {
      const year = parseDate(this.#year)?.year;
      const day = /^(\d\d)(\d\d)$/.exec(this.#day); // day and month of v2.3: DDMM
      if (year !== undefined && day)
        builder.add('date', withDay(year, Number(day[2]), Number(day[1])).date ?? this.#year);
      else builder.add('date', this.#year);
    }
    const hasOneId = builder.tags.artistMbids?.length === 1;
    for (const artist of this.#values(this.#artistList, hasOneId)) builder.add('artistList', artist);
    const displayArtists =
      this.#artistList !== '' && !this.#artist.includes('\0') ? [this.#artist] : this.#values(this.#artist, hasOneId);
    for (const artist of displayArtists) builder.add('artist', artist);
    if (this.#artistList === '' && displayArtists.length > 1 && !this.#artist.includes('\0'))
      builder.tags.slashedArtist = toOneLine(this.#artist, MAX_NAME_CHARACTERS);
    builder.finish();
  }

  /**
   * Splits the artists of one frame. In v2.3 a slash separates them, unless the slash belongs to the name (AC/DC): if
   * there is only one MusicBrainz artist id, or the album artist is written the same.
   */
  #values(text: string, isSingleName: boolean): string[] {
    const values = splitValues(text, '\0', MAX_LIST_VALUES);
    const onlyValue = values[0];
    if (
      this.#version === 4 ||
      values.length !== 1 ||
      onlyValue === undefined ||
      isSingleName ||
      !onlyValue.includes('/')
    )
      return values;
    return this.#builder.isAlbumArtist(onlyValue) ? values : splitValues(onlyValue, '/', MAX_LIST_VALUES);
  }

  /** v2.4 allows one frame, but some programs write one for each artist. Other versions count the first only. */
  #addArtist(text: string): void {
    if (this.#artist === '') this.#artist = text;
    else if (this.#version === 4) this.#artist += `\0${text}`;
  }

  #text(field: TextField, text: string): void {
    if (text === '') return;
    const isList = LIST_FIELDS.has(field) || isCustomTag(field);
    // in v2.3 a slash separates composers
    const separator = field === 'composer' && this.#version < 4 && !text.includes('\0') ? '/' : '\0';
    for (const value of splitValues(text, separator, isList ? MAX_LIST_VALUES : 8)) {
      this.#builder.add(field, value);
      if (!isList) return;
    }
  }

  #named(b: Buffer, start: number, end: number): void {
    const encoding = b[start] as number;
    const valueAt = afterTerminator(encoding, b, start + 1, end);
    if (valueAt < 0) return;
    const field = fieldOfName(trimmed(decodeText(encoding, b, start + 1, valueAt)));
    if (field === undefined) return;
    const text = decodeText(encoding, b, valueAt, end);
    if (field === 'artistList') this.#artistList ||= text;
    else this.#text(field, text);
  }

  #identifier(b: Buffer, start: number, end: number): void {
    const nul = indexOfNul(b, start, end);
    if (nul < 0 || nul - start !== MUSICBRAINZ.length || b.toString('latin1', start, nul) !== MUSICBRAINZ) return;
    const id = parseUuids(b.toString('latin1', nul + 1, Math.min(end, nul + 65)))[0];
    if (id !== undefined) this.#builder.add('recordingMbid', id);
  }

  /** Adds a comment only if it has no description: players store private data in comments with a description. */
  #comment(b: Buffer, start: number, end: number): void {
    const encoding = b[start] as number;
    const valueAt = afterTerminator(encoding, b, start + 4, end);
    if (valueAt < 0 || trimmed(decodeText(encoding, b, start + 4, valueAt)) !== '') return;
    this.#text('comment', decodeText(encoding, b, valueAt, end));
  }

  /** Adds people from a list in which roles and names alternate. */
  #people(text: string): void {
    const values = text.split('\0', 2 * MAX_LIST_VALUES);
    for (let i = 0; i + 1 < values.length; i += 2) {
      const role = trimmed(values[i] as string);
      const name = trimmed(values[i + 1] as string);
      const field = INVOLVED_ROLES.get(role.toLowerCase());
      if (field !== undefined) this.#builder.add(field, name);
      else if (name === '' || PLAIN_PERFORMER_ROLES.has(role.toLowerCase())) this.#builder.add('performer', name);
      else this.#builder.add('performer', `${name} (${role})`);
    }
  }

  /** Adds a rating and a count of plays, after the e-mail address or the name of the player that wrote them. */
  #popularity(b: Buffer, start: number, end: number): void {
    const nul = indexOfNul(b, start, end);
    if (nul < 0 || nul + 1 >= end) return;
    const owner = b.toString('latin1', start, Math.min(nul, start + MAX_OWNER_BYTES));
    this.#builder.listening.addPopularity(owner, b[nul + 1] as number, readCounter(b, nul + 2, end));
  }

  #lyrics(b: Buffer, start: number, end: number): void {
    const encoding = b[start] as number;
    const valueAt = afterTerminator(encoding, b, start + 4, end);
    if (valueAt < 0) return;
    const valueEnd = Math.min(end, valueAt + 2 * MAX_LYRICS);
    this.#builder.addLyricsText(decodeText(encoding, b, valueAt, valueEnd), b.toString('latin1', start + 1, start + 4));
  }
}

/** Reads a counter, which has four bytes or more; 0 if there is none. Large counters are rounded. */
function readCounter(b: Buffer, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < Math.min(end, start + MAX_COUNTER_BYTES); i++) count = count * 256 + (b[i] as number);
  return count;
}
