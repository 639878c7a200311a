// Collects the tags of one file. Readers call `add` with a field and its text; the rules that all formats share (first
// value wins, lists keep their order, display names, limits) are here.
import { TAGGED_FIELDS, type FieldKind, type TaggedField } from '../db/track-fields.ts';
import type { CustomTag } from '../db/custom-tags.ts';
import type { MoreTag } from '../db/more-tags.ts';
import { LISTENING_NAMES, type OWN_TAG_NAMES } from '../db/tag-names.ts';
import {
  parseBpm,
  parseLevel,
  parseDate,
  parseFlag,
  parseGainDb,
  parsePeak,
  parsePosition,
  parsePositionOf,
  parseR128Db,
  parseTimeOfDay,
  parseUuids,
  parseVinylPosition,
} from './field-values.ts';
import { MAX_SHEET_BYTES, parseCueSheet } from './cue-sheet.ts';
import {
  MAX_CHAPTERS,
  MAX_LIST_VALUES,
  MAX_NAME_CHARACTERS,
  MAX_COMMENT_CHARACTERS,
  MAX_PICTURES,
  MAX_TEXT_CHARACTERS,
} from './limits.ts';
import { parseLyrics } from './lrc.ts';
import { lyricsLanguage } from './lyrics-language.ts';
import { ListeningBuilder, type ListeningField } from './tag-listening.ts';
import { toOneLine, plainText, trimmed } from './text.ts';
import type { AudioFacts, Chapter, Lyrics, PictureRef, ReplayGain, Tags } from './types.ts';

export type TextField = TaggedField | MoreTag | CustomTag | ListeningField | keyof typeof OWN_TAG_NAMES;

/** What the reader of a format returns, before the checks of check-facts.ts. */
export interface FileRead {
  facts: AudioFacts;
  tags: Tags;
  pictures: EmbeddedPicture[];
}

/** A picture found while reading. `bytes` is set only if the reader was told to decode encoded pictures. */
export interface EmbeddedPicture extends PictureRef {
  bytes?: Buffer;
}

export class TagBuilder {
  readonly tags: Tags = { artists: [], albumArtists: [], genres: [] };
  readonly pictures: EmbeddedPicture[] = [];
  #display: string[] = [];
  #albumDisplay: string[] = [];
  readonly #chapters = new Map<number, { startMs?: number | undefined; title?: string }>();
  #budget = MAX_TEXT_CHARACTERS;
  readonly listening = new ListeningBuilder();
  /** Side of a record, from a track number such as `A1`. */
  #side: string | undefined;
  /** Dates of the release, which count where no date of the recording is given. */
  readonly #releaseDates: string[] = [];
  /** Gains of R128 tags, which count before ReplayGain tags (RFC 7845, 5.2.1). */
  readonly #r128Gains: ReplayGain = {};

  /** Adds one value of a field; ignores blank and invalid values. */
  add(field: TextField, value: string): void {
    const trimmedValue = trimmed(value);
    if (trimmedValue === '') return;
    if (field === 'lyrics') return this.addLyrics(parseLyrics(trimmedValue));
    if (field === 'cueSheet')
      return setOnce(this.tags, 'cueSheet', parseCueSheet(trimmedValue.slice(0, MAX_SHEET_BYTES)));
    if (isTagged(field)) return this.#addTagged(field, trimmedValue);
    if (isListening(field)) return this.listening.add(field, trimmedValue);
    const text = ID_LIST_FIELDS.has(field) ? trimmedValue : toOneLine(trimmedValue, MAX_NAME_CHARACTERS);
    if (text.length > this.#budget) return;
    this.#budget -= text.length;
    const tags = this.tags;
    switch (field) {
      case 'title':
      case 'album':
      case 'discSubtitle':
      case 'titleSort':
      case 'artistSort':
      case 'albumArtistSort':
      case 'albumSort':
        tags[field] ??= text;
        return;
      case 'artist':
        push(this.#display, text);
        return;
      case 'artistList':
        push(tags.artists, text);
        return;
      case 'albumArtist':
        push(this.#albumDisplay, text);
        return;
      case 'albumArtistList':
        push(tags.albumArtists, text);
        return;
      case 'genre':
        push(tags.genres, text);
        return;
      case 'date':
        this.#addDate(text);
        return;
      case 'releaseDate':
        this.#releaseDates.push(text);
        return;
      case 'track':
      case 'disc':
        this.#addPosition(field, text);
        return;
      case 'trackTotal':
      case 'discTotal':
        setOnce(tags, field, parsePosition(text));
        return;
      case 'compilation':
        setOnce(tags, 'compilation', parseFlag(text));
        return;
      case 'recordingMbid':
      case 'releaseMbid':
      case 'releaseGroupMbid':
      case 'acoustidId':
        setOnce(tags, field, parseUuids(text)[0]);
        return;
      case 'artistMbids':
      case 'albumArtistMbids':
        this.#addUuids(field, text);
        return;
      case 'trackGain':
        this.addGain('trackGainDb', parseGainDb(text));
        return;
      case 'albumGain':
        this.addGain('albumGainDb', parseGainDb(text));
        return;
      case 'trackPeak':
        this.addGain('trackPeak', parsePeak(text));
        return;
      case 'albumPeak':
        this.addGain('albumPeak', parsePeak(text));
        return;
      case 'r128TrackGain':
        setGain(this.#r128Gains, 'trackGainDb', parseR128Db(text));
        return;
      case 'r128AlbumGain':
        setGain(this.#r128Gains, 'albumGainDb', parseR128Db(text));
        return;
      default:
        push((tags[field] ??= []), text);
    }
  }

  addGain(field: keyof ReplayGain, value: number | undefined): void {
    if (value !== undefined) setGain((this.tags.replayGain ??= {}), field, value);
  }

  /** Adds lyrics with the language that the tag names beside them. */
  addLyricsText(text: string, languageTag: string): void {
    const lyrics = parseLyrics(trimmed(text));
    const language = lyrics?.language ?? lyricsLanguage(languageTag);
    if (lyrics) this.addLyrics({ ...lyrics, ...(language !== undefined && { language }) });
  }

  /** Adds lyrics: timed lyrics have precedence, otherwise the first ones. */
  addLyrics(lyrics: Lyrics | undefined): void {
    if (!lyrics || (this.tags.lyrics && (!lyrics.synced || this.tags.lyrics.synced))) return;
    for (const line of lyrics.lines) line.text = plainText(line.text);
    this.tags.lyrics = lyrics;
  }

  /** Accepts `CHAPTER001=00:01:02.000` and `CHAPTER001NAME=…`; returns false for other names. */
  addChapter(name: string, value: string): boolean {
    const [, digits, isName] = /^CHAPTER(\d{2,4})(NAME)?$/i.exec(name) ?? [];
    if (digits === undefined) return false;
    const number = Number(digits);
    const chapter = this.#chapters.get(number) ?? {};
    if (isName) chapter.title = toOneLine(trimmed(value), MAX_NAME_CHARACTERS);
    else chapter.startMs = parseTimeOfDay(value);
    if (this.#chapters.size < MAX_CHAPTERS) this.#chapters.set(number, chapter);
    return true;
  }

  /**
   * Sets chapters if the list is longer than the previous one: the longest list is the most complete, as some formats
   * limit the number.
   */
  setChapters(chapters: Chapter[]): void {
    if (chapters.length > (this.tags.chapters?.length ?? 0)) this.tags.chapters = chapters;
  }

  addPicture(picture: EmbeddedPicture): void {
    if (this.pictures.length < MAX_PICTURES || picture.kind === FRONT_COVER) this.pictures.push(picture);
    if (this.pictures.length > MAX_PICTURES * 2) this.pictures.length = MAX_PICTURES * 2;
  }

  /** Returns whether the album artist is written exactly like this. */
  isAlbumArtist(name: string): boolean {
    return this.#albumDisplay.includes(name);
  }

  /** Completes the tags. Call once, after everything was added. */
  finish(): Tags {
    if (this.#side !== undefined) this.#addSide(this.#side);
    for (const date of this.#releaseDates.splice(0)) this.#addDate(date);
    const tags = this.tags;
    if (Object.keys(this.#r128Gains).length > 0) tags.replayGain = { ...tags.replayGain, ...this.#r128Gains };
    if (tags.artists.length === 0) tags.artists = this.#display;
    else if (this.#display.length === 1 && this.#display[0] !== undefined && !isOnly(tags.artists, this.#display[0])) {
      tags.artist = this.#display[0];
    }
    if (tags.albumArtists.length === 0) tags.albumArtists = this.#albumDisplay;
    const albumArtist = this.#albumDisplay.length === 1 ? this.#albumDisplay[0] : tags.albumArtists.join(', ');
    if (albumArtist) tags.albumArtist = albumArtist;
    this.setChapters(
      [...this.#chapters.values()].flatMap(({ startMs, title = '' }) =>
        startMs === undefined ? [] : { startMs, title },
      ),
    );
    if (tags.chapters) addChapters(tags, tags.chapters);
    setOnce(tags, 'listening', this.listening.result());
    return tags;
  }

  /** Returns the pictures: front covers first, otherwise in file order. */
  bestPictures(): EmbeddedPicture[] {
    const { pictures } = this;
    if (pictures.length > 1) pictures.sort((a, b) => Number(b.kind === FRONT_COVER) - Number(a.kind === FRONT_COVER));
    if (pictures.length > MAX_PICTURES) pictures.length = MAX_PICTURES;
    return pictures;
  }

  /** Adds a field of the table in track-fields.ts. */
  #addTagged(field: TaggedField, text: string): void {
    const { kind, isList } = TAGGED_SPECS.get(field) as TaggedSpec;
    if (field === 'originalYear') setOnce(this.tags, 'originalDate', parseDate(text)?.date);
    const tags = this.tags as Partial<Record<TaggedField, string | number | string[]>>;
    if (!isList && tags[field] !== undefined) return;
    const value = PARSERS[kind](text);
    if (value === undefined || (typeof value === 'string' && value.length > this.#budget)) return;
    if (typeof value === 'string') this.#budget -= value.length;
    if (isList) push((tags[field] ??= []) as string[], String(value));
    else tags[field] = value;
  }

  #addDate(text: string): void {
    const parsedDate = parseDate(text);
    if (!parsedDate) return;
    if (this.tags.year === undefined || (this.tags.year === parsedDate.year && this.tags.date === undefined)) {
      this.tags.year = parsedDate.year;
      if (parsedDate.date !== undefined) this.tags.date = parsedDate.date;
    }
  }

  #addPosition(field: 'track' | 'disc', text: string): void {
    const vinyl = field === 'track' ? parseVinylPosition(text) : undefined;
    if (vinyl) {
      this.#side ??= vinyl.side;
      return setOnce(this.tags, 'trackNumber', vinyl.number);
    }
    const { number, total } = parsePositionOf(text);
    setOnce(this.tags, field === 'track' ? 'trackNumber' : 'discNumber', number);
    setOnce(this.tags, field === 'track' ? 'trackTotal' : 'discTotal', total);
  }

  /**
   * Sets the disc number from the side: sides of all records of an album count as discs, and their letters continue
   * (`C` is the first side of the second record).
   */
  #addSide(side: string): void {
    this.tags.discNumber = side.charCodeAt(0) - 'A'.charCodeAt(0) + 1;
    delete this.tags.discTotal;
    this.tags.discSubtitle ??= `Side ${side}`;
  }

  #addUuids(field: 'artistMbids' | 'albumArtistMbids', text: string): void {
    const ids = parseUuids(text);
    if (ids.length === 0) return;
    const list = (this.tags[field] ??= []);
    for (const id of ids) if (list.length < MAX_LIST_VALUES) list.push(id);
  }
}

/** Adds chapters, unless there is only one, which divides nothing. */
function addChapters(tags: Tags, chapters: Chapter[]): void {
  if (chapters.length < 2) delete tags.chapters;
  else tags.chapters = chapters.slice(0, MAX_CHAPTERS).toSorted((a, b) => a.startMs - b.startMs);
}

type TaggedSpec = (typeof TAGGED_FIELDS)[number];
const TAGGED_SPECS = new Map<TextField, TaggedSpec>(TAGGED_FIELDS.map((spec) => [spec.field, spec]));
const isTagged = (field: TextField): field is TaggedField => TAGGED_SPECS.has(field);

export const isListening = (field: TextField): field is ListeningField => field in LISTENING_NAMES;

/** Parses the text of a field; undefined if it is invalid. */
const PARSERS: Record<FieldKind, (text: string) => string | number | undefined> = {
  year: (text) => parseDate(text)?.year,
  position: parsePosition,
  tempo: parseBpm,
  level: parseLevel,
  text: (text) => toOneLine(text, MAX_NAME_CHARACTERS),
  note: (text) => plainText(text, MAX_COMMENT_CHARACTERS),
};

const FRONT_COVER = 3;
/** Fields that may be longer than a name if a track has many artists; only the identifiers in them are kept. */
const ID_LIST_FIELDS: ReadonlySet<TextField> = new Set(['artistMbids', 'albumArtistMbids']);

const isOnly = (list: string[], value: string): boolean => list.length === 1 && list[0] === value;

function push(list: string[], value: string): void {
  if (list.length < MAX_LIST_VALUES && !list.includes(value)) list.push(value);
}

function setGain(gains: ReplayGain, field: keyof ReplayGain, value: number | undefined): void {
  if (value !== undefined) gains[field] ??= value;
}

function setOnce<K extends keyof Tags>(tags: Tags, field: K, value: Tags[K] | undefined): void {
  if (value !== undefined && tags[field] === undefined) tags[field] = value;
}

/** Completes tags from a less capable format (ID3v1, LIST INFO). */
export function fillGaps(tags: Tags, secondaryTags: Tags): void {
  if (tags.artists.length === 0) {
    tags.artists = secondaryTags.artists;
    if (secondaryTags.artist !== undefined) tags.artist = secondaryTags.artist;
  }
  if (tags.albumArtists.length === 0) {
    tags.albumArtists = secondaryTags.albumArtists;
    if (secondaryTags.albumArtist !== undefined) tags.albumArtist = secondaryTags.albumArtist;
  }
  if (tags.genres.length === 0) tags.genres = secondaryTags.genres;
  if (tags.year !== undefined && tags.year !== secondaryTags.year) delete secondaryTags.date;
  for (const key of Object.keys(secondaryTags) as (keyof Tags)[]) {
    if (key !== 'artist' && key !== 'albumArtist') setOnce(tags, key, secondaryTags[key] as never);
  }
}
