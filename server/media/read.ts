// Reads one file: detects the format by its first bytes and uses the format's own reader, or music-metadata if there is
// none.
import { findId3 } from './formats/id3.ts';
import { readAiff } from './formats/aiff.ts';
import { readCaf } from './formats/caf.ts';
import { readEnclosingTags } from './formats/enclosing-tags.ts';
import { readDsf } from './formats/dsf.ts';
import { readFlac } from './formats/flac.ts';
import { readAc3, readAdts, readDts, readEac3, readLoas } from './formats/frame-stream.ts';
import { skipId3 } from './formats/leading-id3.ts';
import { hasTrailingTags } from './formats/trailing-tags.ts';
import { readMonkeysAudio } from './formats/monkeys-audio.ts';
import { readMp3 } from './formats/mp3.ts';
import { readMp4 } from './formats/mp4.ts';
import { readMusepack } from './formats/musepack.ts';
import { readOgg } from './formats/ogg.ts';
import { readWav } from './formats/riff.ts';
import { readTak } from './formats/tak.ts';
import { readTta } from './formats/tta.ts';
import { readW64 } from './formats/w64.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURES } from './limits.ts';
import { sniffPicture } from './picture-mime.ts';
import { checkFacts } from './check-facts.ts';
import { sniff, SNIFF_BYTES, sniffUnsupported } from './sniff.ts';
import { fillGaps, type FileRead, type EmbeddedPicture } from './tag-builder.ts';
import type { AUDIO_FORMATS, AudioFormat } from './audio-formats.ts';
import { UnreadableAudio, type AudioRead, type ByteSource, type PictureRef } from './types.ts';
import { decodeTags, readDecoded } from './unmarked-text.ts';
import { Window } from './buffered-source.ts';

/** Reads a file of any format. Throws UnreadableAudio if the file is not audio, damaged or malicious. */
export async function readAudio(source: ByteSource): Promise<AudioRead> {
  const audioRead = readAudioSync(source);
  if (audioRead) return audioRead;
  const { readWithMusicMetadata } = await import('./fallback.ts');
  const window = new Window(source);
  const { format, start } = formatOf(window);
  const { tags, pictures, end } = readEnclosingTags(window, false);
  const otherRead = await readWithMusicMetadata(sliceOfSource(source, start, end), format);
  fillGaps(otherRead.tags, tags);
  const { payload } = otherRead.facts;
  if (payload) otherRead.facts.payload = { start: payload.start + start, end: payload.end + start };
  if (format !== undefined && FORMATS_WITH_OUTER_TAGS.has(format)) otherRead.facts.payload = { start, end };
  return decodeTags({ ...otherRead, pictures: pictures.slice(0, MAX_PICTURES) });
}

/** Formats whose tags all precede or follow the audio. */
const FORMATS_WITH_OUTER_TAGS: ReadonlySet<AudioFormat> = new Set(['wv']);

/** Returns a part of a file as a source, without the tags in front and at the end. */
const sliceOfSource = (source: ByteSource, start: number, end: number): ByteSource =>
  start === 0 && end === source.size
    ? source
    : {
        size: end - start,
        read: (position, length) =>
          source.read(start + position, Math.max(0, Math.min(length, end - start - position))),
      };

/**
 * Reads the formats with an own reader; returns undefined for others, which need `readAudio`. Throws the same errors as
 * `readAudio`.
 */
export function readAudioSync(source: ByteSource): AudioRead | undefined {
  return readDecoded(() => {
    const fileRead = readOwn(new Window(source), false);
    if (!fileRead) return undefined;
    const { facts, tags, pictures } = fileRead;
    return {
      facts: checkFacts(facts, source.size),
      tags,
      pictures: pictures.slice(0, MAX_PICTURES),
      reader: 'own' as const,
    };
  });
}

interface Picture {
  mime: string;
  bytes: Buffer;
}

/**
 * Returns the embedded cover of a file of any format; with `skip`, a further picture. Throws the same errors as
 * `readAudio`.
 */
export async function readCover(source: ByteSource, skip = 0): Promise<Picture | undefined> {
  const audioRead = readAudioSync(source);
  if (audioRead) return readPicture(source, audioRead.pictures, { skip });
  const { readPicturesWithMusicMetadata } = await import('./fallback.ts');
  const window = new Window(source);
  const { format, start } = formatOf(window);
  const { pictures, end } = readEnclosingTags(window, false);
  const innerPictures = await readPicturesWithMusicMetadata(sliceOfSource(source, start, end), format);
  const decode = (): EmbeddedPicture[] => readEnclosingTags(window, true).pictures;
  return innerPictures[skip] ?? readPicture(source, pictures, { decode, skip: skip - innerPictures.length });
}

/** Returns a copy of the first picture after `skip` that is a JPEG, PNG, WebP or GIF and not too large. */
export function readPicture(
  source: ByteSource,
  pictures: readonly PictureRef[],
  {
    decode = () => readOwn(new Window(source), true)?.pictures ?? [],
    skip = 0,
  }: { decode?: () => readonly EmbeddedPicture[]; skip?: number } = {},
): Picture | undefined {
  let remainingSkips = skip;
  let decodedPictures: readonly { bytes?: Buffer }[] | undefined;
  for (const [n, ref] of pictures.entries()) {
    let bytes: Uint8Array | undefined;
    if (ref.position !== undefined && ref.length !== undefined) {
      if (ref.length <= MAX_PICTURE_BYTES) bytes = source.read(ref.position, ref.length);
    } else {
      decodedPictures ??= decode();
      bytes = decodedPictures[n]?.bytes;
    }
    const mime = bytes && sniffPicture(bytes);
    if (bytes && mime && bytes.length <= MAX_PICTURE_BYTES && remainingSkips-- <= 0)
      return { mime, bytes: Buffer.from(bytes) };
  }
  return undefined;
}

function readOwn(window: Window, keepPictures: boolean): FileRead | undefined {
  if (window.size === 0) throw new UnreadableAudio('the file is empty');
  const { format, start } = formatOf(window);
  if (format === undefined) refuseUnsupported(window, start);
  return readFormat(window, format, start, keepPictures);
}

/** Returns the format, and the start of the content after ID3 tags, which some programs prepend to any format. */
function formatOf(window: Window): { format: AudioFormat | undefined; start: number } {
  const format = formatAt(window, 0);
  if (format !== 'id3') return { format, start: 0 };
  const start = skipId3(window);
  const innerFormat = formatAt(window, start);
  return { format: innerFormat === 'id3' ? undefined : innerFormat, start };
}

function refuseUnsupported(window: Window, start: number): void {
  const length = Math.min(SNIFF_BYTES, window.size - start);
  const i = length > 0 ? window.at(start, length) : -1;
  const name = i < 0 ? undefined : sniffUnsupported(window.bytes.subarray(i, i + length));
  if (name !== undefined) throw new UnreadableAudio(`audio in a format that is not supported (${name})`);
}

function readFormat(
  window: Window,
  format: AudioFormat | undefined,
  start: number,
  keepPictures: boolean,
): FileRead | undefined {
  // MP3 frames may follow some garbage
  const readOwnFormat = (READERS as Partial<Record<AudioFormat, OwnReader>>)[format ?? 'mp3'];
  if (!readOwnFormat || format === undefined || !FORMATS_WITH_INNER_TAGS.has(format))
    return readOwnFormat?.(window, start, keepPictures);
  // tags at both ends are not part of the format, but some programs write them
  if (start === 0 && !hasTrailingTags(window)) return readOwnFormat(window, start, keepPictures);
  const around = readEnclosingTags(window, keepPictures);
  const innerWindow = around.end < window.size ? new Window(sliceOfSource(window.source, 0, around.end)) : window;
  const fileRead = readOwnFormat(innerWindow, start, keepPictures);
  if (fileRead) {
    fillGaps(fileRead.tags, around.tags);
    fileRead.pictures.push(...around.pictures);
  }
  return fileRead;
}

/** Formats whose readers only look for tags inside the format itself. */
const FORMATS_WITH_INNER_TAGS: ReadonlySet<AudioFormat> = new Set([
  'flac',
  'ogg',
  'opus',
  'spx',
  'm4a',
  'wav',
  'aiff',
  'w64',
  'caf',
  'dsf',
]);

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
  loas: (window, _start, keepPictures) => readLoas(window, keepPictures),
  ac3: (window, _start, keepPictures) => readAc3(window, keepPictures),
  eac3: (window, _start, keepPictures) => readEac3(window, keepPictures),
  dts: readDts,
  ape: readMonkeysAudio,
  mpc: readMusepack,
  tta: readTta,
  tak: readTak,
  w64: readW64,
  caf: readCaf,
  dsf: readDsf,
};

function formatAt(window: Window, position: number): AudioFormat | 'id3' | undefined {
  const length = Math.min(SNIFF_BYTES, window.size - position);
  const i = length > 0 ? window.at(position, length) : -1;
  if (i < 0) return undefined;
  const format = sniff(window.bytes.subarray(i, i + length));
  // an ID3 tag counts only with a valid header
  return format === 'id3' && !findId3(window, position) ? undefined : format;
}
