// Detects the format of a file by its first bytes. The name only decides whether a scan reads the file.
import { FORMATS, UNSUPPORTED_MAGIC_BYTES, type AudioFormat } from './audio-formats.ts';
import { isEac3 } from './formats/ac3-header.ts';
import { isDts } from './formats/dts-header.ts';
import { isLoas } from './formats/loas-header.ts';
import { matches } from './picture-mime.ts';

const ANY_BYTE = '?';

/** Number of bytes that `sniff` needs. */
export const SNIFF_BYTES = 64;

/**
 * Detects the format of a file. Returns `id3` for an ID3v2 tag in front of another format; undefined if unknown, or for
 * MP3 frames after garbage.
 */
export function sniff(bytes: Uint8Array, offset = 0): AudioFormat | 'id3' | undefined {
  const firstByte = bytes[offset];
  if (firstByte === 0x49) return matches(bytes, offset, 'ID3') ? 'id3' : undefined;
  if (firstByte === 0x4f) return matches(bytes, offset, 'OggS') ? sniffOgg(bytes, offset) : undefined;
  if (firstByte === 0xff) return sniffMpeg(bytes, offset);
  if (firstByte === 0x0b && bytes[offset + 1] === 0x77) return isEac3(bytes, offset) ? 'eac3' : 'ac3';
  if (firstByte === 0x56) return isLoas(bytes, offset) ? 'loas' : undefined;
  if (firstByte === 0) return sniffMp4(bytes, offset);
  return MAGIC_BYTES.get(firstByte)?.find(({ pattern }) => startsWith(bytes, offset, pattern))?.format;
}

/** Magic bytes, grouped by their first byte. */
const MAGIC_BYTES = Map.groupBy(
  FORMATS.flatMap(([format, { magicBytes: patterns = [] }]) => patterns.map((pattern) => ({ pattern, format }))),
  ({ pattern }): number | undefined => pattern.charCodeAt(0),
);

/** Returns the name of an unsupported format whose magic bytes are at the start. */
export const sniffUnsupported = (bytes: Uint8Array, offset = 0): string | undefined =>
  UNSUPPORTED_MAGIC_BYTES.find(({ pattern }) => startsWith(bytes, offset, pattern))?.name;

function startsWith(bytes: Uint8Array, offset: number, pattern: string): boolean {
  for (let i = 0; i < pattern.length; i++)
    if (pattern[i] !== ANY_BYTE && bytes[offset + i] !== pattern.charCodeAt(i)) return false;
  return true;
}

/** Returns the codec of an Ogg stream by its first packet, which follows 27 bytes and the lacing table. */
function sniffOgg(bytes: Uint8Array, offset: number): AudioFormat {
  const packet = offset + 27 + (bytes[offset + 26] ?? 0);
  if (matches(bytes, packet, 'OpusHead')) return 'opus';
  return matches(bytes, packet, 'Speex   ') ? 'spx' : 'ogg';
}

/** Detects an MPEG audio frame by its sync bits; layer 0 is ADTS. */
function sniffMpeg(bytes: Uint8Array, offset: number): AudioFormat | undefined {
  const secondByte = bytes[offset + 1] ?? 0;
  if (secondByte === 0x1f) return isDts(bytes, offset) ? 'dts' : undefined;
  if ((secondByte & 0xf6) === 0xf0) return 'aac';
  return (secondByte & 0xe0) === 0xe0 && (secondByte & 0x18) !== 0x08 && (secondByte & 0x06) !== 0 ? 'mp3' : undefined;
}

/** Detects MP4 by the first atom's name; QuickTime files may begin without `ftyp`. */
function sniffMp4(bytes: Uint8Array, offset: number): AudioFormat | undefined {
  const name = offset + 4;
  return ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].some((atom) => matches(bytes, name, atom))
    ? 'm4a'
    : undefined;
}
