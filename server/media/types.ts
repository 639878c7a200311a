// The shapes that reading a file gives: plain data that can cross a worker's boundary. Nothing here knows of rows.
import type { TaggedField, TagValue } from '../db/track-fields.ts';
import type { AudioFormat } from './audio-formats.ts';

/** Random access to the bytes of one file. Reads are synchronous: readers run in worker threads only. */
export interface ByteSource {
  /** Size of the whole file in bytes. */
  readonly size: number;
  /**
   * Bytes `[position, position + length)`, cut at the end of the file. The view is valid until the next call and must
   * not be written to; copy what is kept.
   */
  read(position: number, length: number): Uint8Array;
}

/** Where an embedded picture lies; its bytes are read only when a cover is wanted. */
export interface PictureRef {
  /** Type of the picture as sniffed or declared, e.g. `image/jpeg`. */
  mime: string;
  /** ID3/FLAC picture type; 3 is the front cover, 0 is "other" or unknown. */
  kind: number;
  /**
   * Byte range in the file. Absent when the picture is stored encoded (base64 in a comment, unsynchronised ID3): then
   * it is read again by name.
   */
  position?: number;
  length?: number;
}

export interface ReplayGain {
  trackGainDb?: number;
  /** Linear, 1.0 is full scale. */
  trackPeak?: number;
  albumGainDb?: number;
  albumPeak?: number;
}

type TaggedValues = { [F in TaggedField]?: TagValue<F> };

export interface LyricsLine {
  startMs?: number;
  text: string;
}
export interface Lyrics {
  synced: boolean;
  lines: LyricsLine[];
}

/** What the tags say. Absent means the file does not say; text is trimmed of blanks and NUL, and never empty. */
export interface Tags extends TaggedValues {
  title?: string;
  /** Artists as separate values, in order. */
  artists: string[];
  /** Display name written beside the list (`A feat. B`), else absent. */
  artist?: string;
  albumArtists: string[];
  /** Display name of the album's artist. */
  albumArtist?: string;
  album?: string;
  genres: string[];
  /** 1..9999. */
  year?: number;
  /** The date as written when it says more than the year: `YYYY-MM` or `YYYY-MM-DD`. */
  date?: string;
  trackNumber?: number;
  trackTotal?: number;
  discNumber?: number;
  discTotal?: number;
  discSubtitle?: string;
  compilation?: boolean;
  titleSort?: string;
  artistSort?: string;
  albumArtistSort?: string;
  albumSort?: string;
  /** MusicBrainz identifiers, lower case. */
  recordingMbid?: string;
  releaseMbid?: string;
  releaseGroupMbid?: string;
  artistMbids?: string[];
  albumArtistMbids?: string[];
  acoustidId?: string;
  replayGain?: ReplayGain;
  /** Lyrics embedded in the file, cut at 256 KB. */
  lyrics?: Lyrics;
}

export interface AudioFacts {
  /** As decided by the file's content. */
  format: AudioFormat;
  /** Codec inside the container: `mp3`, `flac`, `vorbis`, `opus`, `aac`, `alac`, `pcm`, … */
  codec: string;
  /** Exact play time, encoder delay and padding not counted. Finite, 0 < durationMs <= 48 h. */
  durationMs: number;
  /** Average over the audio payload. */
  bitrateKbps: number;
  sampleRateHz: number;
  /** Absent for lossy codecs. */
  bitDepth?: number;
  channels: number;
  lossless: boolean;
  /** Samples to drop at the start and end, when the file says (LAME, iTunSMPB, Opus pre-skip). */
  encoderDelay?: number;
  encoderPadding?: number;
  /**
   * Byte range(s) of the audio payload without tags, in file order. The base of identity. Absent when unknown.
   */
  payload?: { start: number; end: number };
}

export interface AudioRead {
  facts: AudioFacts;
  tags: Tags;
  /** Best candidate first: front cover, then any other. At most 8. */
  pictures: PictureRef[];
  /** Which reader gave it, for diagnostics: `own` or `music-metadata`. */
  reader: 'own' | 'music-metadata';
}

/**
 * A file that is no readable audio. `message` is a sentence for the person, without paths: `no audio frame in the first
 * megabyte`.
 */
export class UnreadableAudio extends Error {
  override name = 'UnreadableAudio';
}
