// Reads one file: detects the format by its first bytes and uses its own reader, or music-metadata if there is none.
import { findId3 } from './formats/id3.ts';
import { readAdts } from './formats/adts.ts';
import { readAiff } from './formats/aiff.ts';
import { readFlac } from './formats/flac.ts';
import { readLeadingId3, skipId3 } from './formats/leading-id3.ts';
import { readMp3 } from './formats/mp3.ts';
import { readMp4 } from './formats/mp4.ts';
import { readOgg } from './formats/ogg.ts';
import { readWav } from './formats/riff.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURES } from './limits.ts';
import { sniffPicture } from './picture-mime.ts';
import { checkFacts } from './plausible.ts';
import { sniff, SNIFF_BYTES } from './sniff.ts';
import { fillGaps, type FileRead } from './tag-builder.ts';
import type { AUDIO_FORMATS, AudioFormat } from './audio-formats.ts';
import { UnreadableAudio, type AudioRead, type ByteSource, type PictureRef } from './types.ts';
import { Window } from './window.ts';

/** Reads any format. Throws UnreadableAudio if it is not audio, damaged or malicious. */
export async function readAudio(source: ByteSource): Promise<AudioRead> {
  const read = readAudioSync(source);
  if (read) return read;
  const { readWithMusicMetadata } = await import('./fallback.ts');
  const window = new Window(source);
  const { format, start } = formatOf(window);
  const other = await readWithMusicMetadata(behind(source, start), format);
  if (start > 0) fillGaps(other.tags, readLeadingId3(window, 0, false).tags);
  return other;
}

/** What follows an ID3 tag, as a file. */
const behind = (source: ByteSource, start: number): ByteSource =>
  start === 0
    ? source
    : { size: source.size - start, read: (position, length) => source.read(start + position, length) };

/** Reads the formats with an own reader; undefined for others, which need `readAudio`. Throws like `readAudio`. */
export function readAudioSync(source: ByteSource): AudioRead | undefined {
  const window = new Window(source);
  const read = readOwn(window, false);
  if (!read) return undefined;
  const { facts, tags, pictures } = read;
  return { facts: checkFacts(facts, source.size), tags, pictures: pictures.slice(0, MAX_PICTURES), reader: 'own' };
}

export interface Picture {
  mime: string;
  bytes: Buffer;
}

/** The embedded cover of a file of any format. Throws like `readAudio`. */
export async function readCover(source: ByteSource): Promise<Picture | undefined> {
  const read = readAudioSync(source);
  if (read) return readPicture(source, read.pictures);
  const { readPictureWithMusicMetadata } = await import('./fallback.ts');
  const { format, start } = formatOf(new Window(source));
  return readPictureWithMusicMetadata(behind(source, start), format);
}

/** The first picture that is a JPEG, PNG, WebP or GIF and not too large. Returns a copy of its bytes. */
export function readPicture(source: ByteSource, pictures: readonly PictureRef[]): Picture | undefined {
  let encoded: readonly { bytes?: Buffer }[] | undefined;
  for (const [n, ref] of pictures.entries()) {
    let bytes: Uint8Array | undefined;
    if (ref.position !== undefined && ref.length !== undefined) {
      if (ref.length <= MAX_PICTURE_BYTES) bytes = source.read(ref.position, ref.length);
    } else {
      encoded ??= readOwn(new Window(source), true)?.pictures.slice(0, pictures.length) ?? [];
      bytes = encoded[n]?.bytes;
    }
    const mime = bytes && sniffPicture(bytes);
    if (bytes && mime && bytes.length <= MAX_PICTURE_BYTES) return { mime, bytes: Buffer.from(bytes) };
  }
  return undefined;
}

function readOwn(window: Window, keepPictures: boolean): FileRead | undefined {
  if (window.size === 0) throw new UnreadableAudio('the file is empty');
  const { format, start } = formatOf(window);
  return readFormat(window, format, start, keepPictures);
}

/** The format, and the start of the content after ID3 tags, which some programs prepend to any format. */
function formatOf(window: Window): { format: AudioFormat | undefined; start: number } {
  const format = formatAt(window, 0);
  if (format !== 'id3') return { format, start: 0 };
  const start = skipId3(window);
  const inner = formatAt(window, start);
  return { format: inner === 'id3' ? undefined : inner, start };
}

function readFormat(
  window: Window,
  format: AudioFormat | undefined,
  start: number,
  keepPictures: boolean,
): FileRead | undefined {
  // MP3 frames may follow some garbage
  const read = (READERS as Partial<Record<AudioFormat, OwnReader>>)[format ?? 'mp3'];
  return read?.(window, start, keepPictures);
}

type OwnReader = (window: Window, start: number, keepPictures: boolean) => FileRead | undefined;
type OwnFormat = {
  [F in AudioFormat]: (typeof AUDIO_FORMATS)[F]['reader'] extends 'own' ? F : never;
}[AudioFormat];

const READERS: Record<OwnFormat, OwnReader> = {
  mp3: (window, _start, keepPictures) => readMp3(window, keepPictures),
  flac: readFlac,
  ogg: readOgg,
  opus: readOgg,
  spx: readOgg,
  m4a: readMp4,
  wav: readWav,
  aiff: readAiff,
  aac: (window, _start, keepPictures) => readAdts(window, keepPictures),
};

function formatAt(window: Window, at: number): AudioFormat | 'id3' | undefined {
  const length = Math.min(SNIFF_BYTES, window.size - at);
  const i = length > 0 ? window.at(at, length) : -1;
  if (i < 0) return undefined;
  const format = sniff(window.bytes.subarray(i, i + length));
  // an ID3 tag counts only with a valid header
  return format === 'id3' && !findId3(window, at) ? undefined : format;
}
