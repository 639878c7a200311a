// Results of reading a file: plain data that can be sent between threads.
import type { TaggedField, TagValue } from '../db/track-fields.ts';
import type { MoreTagValues } from '../db/more-tags.ts';
import type { AudioFormat } from './audio-formats.ts';
import type { Charset } from './charset.ts';

/** Random access to the bytes of one file. It is synchronous, since readers run in worker threads. */
export interface ByteSource {
  /** Size of the whole file in bytes. */
  readonly size: number;
  /**
   * Returns the bytes `[position, position + length)`, cut at the end of the file. They are read-only and valid until
   * the next call.
   */
  read(position: number, length: number): Uint8Array;
}

/** Location of an embedded picture; the bytes of the picture are read only when a cover is needed. */
export interface PictureRef {
  /** MIME type, detected or declared. */
  mime: string;
  /** ID3/FLAC picture type; 3 is the front cover, 0 is "other" or unknown. */
  kind: number;
  /** Position in the file. Absent if the picture is stored encoded (base64, unsynchronised ID3). */
  position?: number;
  length?: number;
}

export interface ReplayGain {
  trackGainDb?: number;
  /** Linear peak, where 1.0 is full scale. */
  trackPeak?: number;
  albumGainDb?: number;
  albumPeak?: number;
}

type TaggedValues = { [F in TaggedField]?: TagValue<F> };

export interface LyricsWord {
  startMs: number;
  /** The word, including the blank after it, if there is one. */
  text: string;
}
export interface LyricsLine {
  startMs?: number;
  text: string;
  /** Words with their own times; together they are the text. */
  words?: LyricsWord[];
  /** A second voice, sung to the line before. */
  isBackground?: true;
}
export interface Lyrics {
  synced: boolean;
  lines: LyricsLine[];
  /** The language, such as `eng` or `pt-BR`; absent if nothing says which. */
  language?: string;
}

/** What the tags say about listening to the file. */
export interface Listening {
  /** 0.5 to 5 stars in halves; absent if the file is unrated. */
  rating?: number;
  plays?: number;
  lastPlayedMs?: number;
}

/** Names and values in the order of the file: `TITLE`, `PERFORMER`, `ISRC`, and those of REM lines. */
export type SheetFields = [name: string, value: string][];

export interface SheetTrack {
  number: number;
  /** Start of the track in units of the sheet; undefined without an index. */
  startUnits: number | undefined;
  /** Index in `files` of the file in which the track begins. */
  file: number;
  fields: SheetFields;
}

export interface CueSheet {
  /** File names as written in the sheet; empty for a sheet inside a file. */
  files: string[];
  fields: SheetFields;
  tracks: SheetTrack[];
  unitsPerSecond: number;
  /** The end of the last track, if the sheet says it. */
  endUnits?: number;
  /** What is wrong with the sheet. */
  fault?: string;
}

export interface Chapter {
  startMs: number;
  title: string;
}

/** Values of the tags; absent values are not in the file. Text is trimmed and never empty. */
export interface Tags extends TaggedValues, MoreTagValues {
  title?: string;
  /** The artists as separate values, in order. */
  artists: string[];
  /** The displayed credit, if it has more than the list (`A feat. B`). */
  artist?: string;
  albumArtists: string[];
  /** Credit of the album artists. */
  albumArtist?: string;
  album?: string;
  genres: string[];
  /** The year, 1 to 9999. */
  year?: number;
  /** `YYYY-MM` or `YYYY-MM-DD`; absent if only the year is known. */
  date?: string;
  /** Date of the first release, like `date`. */
  originalDate?: string;
  trackNumber?: number;
  trackTotal?: number;
  discNumber?: number;
  discTotal?: number;
  discSubtitle?: string;
  compilation?: boolean;
  titleSort?: string;
  /** The artist as written in an ID3v2.3 tag, if it was split at slashes. */
  slashedArtist?: string;
  artistSort?: string;
  albumArtistSort?: string;
  albumSort?: string;
  /** MusicBrainz ids, in lower case. */
  recordingMbid?: string;
  releaseMbid?: string;
  releaseGroupMbid?: string;
  artistMbids?: string[];
  albumArtistMbids?: string[];
  acoustidId?: string;
  replayGain?: ReplayGain;
  listening?: Listening;
  /** Lyrics embedded in the file, cut at 256 KB. */
  lyrics?: Lyrics;
  /** The tracks of the file, if it has several. */
  cueSheet?: CueSheet;
  /** Chapters of an audiobook, with their start times. */
  chapters?: Chapter[];
}

export interface AudioFacts {
  /** The format, detected from the content. */
  format: AudioFormat;
  /** Codec inside the container: `mp3`, `flac`, `vorbis`, `opus`, `aac`, `alac`, `pcm`, … */
  codec: string;
  /** Exact duration without encoder delay and padding; more than 0 and up to 48 h. */
  durationMs: number;
  /** Average bit rate of the audio payload. */
  bitrateKbps: number;
  sampleRateHz: number;
  /** Absent for lossy codecs. */
  bitDepth?: number;
  channels: number;
  lossless: boolean;
  /** Samples to drop at the start and end, if known (LAME, iTunSMPB, Opus pre-skip). */
  encoderDelay?: number;
  encoderPadding?: number;
  /** Byte range of the audio payload without tags, for payload-hash.ts. Absent if unknown. */
  payload?: { start: number; end: number };
}

export interface AudioRead {
  facts: AudioFacts;
  tags: Tags;
  /** The tags before decoding, if they have text without a declared charset; see unmarked-text.ts. */
  unmarked?: Tags;
  /** The charset in which text without a declared charset was decoded. */
  charset?: Charset;
  /** True if a person chose the charset. */
  isCharsetChosen?: boolean;
  /** The pictures, best first: front covers, then others. At most 8. */
  pictures: PictureRef[];
  /** The reader that was used, for diagnostics. */
  reader: 'own' | 'music-metadata';
}

/** A file that is not readable audio. `message` is shown to users and has no paths. */
export class UnreadableAudio extends Error {
  override name = 'UnreadableAudio';
}
