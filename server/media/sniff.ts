// The format of a file by its first bytes. The name decides only whether a scan looks at a file at all.
import { matches } from './picture-mime.ts';
import type { AudioFormat } from './types.ts';

/** Lower-case extensions of the files that a scan looks at, without the dot. */
export const AUDIO_EXTENSIONS: ReadonlySet<string> = new Set([
  'mp3',
  'mp2',
  'mpga',
  'flac',
  'ogg',
  'oga',
  'opus',
  'spx',
  'm4a',
  'm4b',
  'm4r',
  'mp4',
  'wav',
  'wave',
  'rf64',
  'bwf',
  'aif',
  'aiff',
  'aifc',
  'aac',
  'adts',
  'wma',
  'asf',
  'ape',
  'wv',
  'mpc',
  'mp+',
  'mpp',
  'dsf',
  'dff',
  'mka',
  'weba',
]);

/** Those that music-metadata reads. Whether such a file holds a picture shows only when it is read for one. */
export const FALLBACK_FORMATS: readonly AudioFormat[] = ['wma', 'ape', 'wv', 'mpc', 'dsf', 'dff', 'mka'];

/** How many bytes `sniff` likes to see. */
export const SNIFF_BYTES = 64;

/**
 * `id3`: an ID3v2 tag, and what follows it decides. Undefined: nothing known; MP3 frames may still follow some garbage.
 */
export function sniff(bytes: Uint8Array, at = 0): AudioFormat | 'id3' | undefined {
  switch (bytes[at]) {
    case 0x49:
      return matches(bytes, at, 'ID3') ? 'id3' : undefined;
    case 0x66:
      return matches(bytes, at, 'fLaC') ? 'flac' : undefined;
    case 0x4f:
      return matches(bytes, at, 'OggS') ? sniffOgg(bytes, at) : undefined;
    case 0x52:
      return (matches(bytes, at, 'RIFF') || matches(bytes, at, 'RF64')) && matches(bytes, at + 8, 'WAVE')
        ? 'wav'
        : undefined;
    case 0x42:
      return matches(bytes, at, 'BW64') && matches(bytes, at + 8, 'WAVE') ? 'wav' : undefined;
    case 0x46:
      return sniffForm(bytes, at);
    case 0xff:
      return sniffMpeg(bytes, at);
    case 0x30:
      return matches(bytes, at, '\x30\x26\xb2\x75\x8e\x66\xcf\x11') ? 'wma' : undefined;
    case 0x4d:
      return matches(bytes, at, 'MAC ')
        ? 'ape'
        : matches(bytes, at, 'MPCK') || matches(bytes, at, 'MP+')
          ? 'mpc'
          : undefined;
    case 0x77:
      return matches(bytes, at, 'wvpk') ? 'wv' : undefined;
    case 0x44:
      return matches(bytes, at, 'DSD ') ? 'dsf' : undefined;
    case 0x1a:
      return matches(bytes, at, '\x1a\x45\xdf\xa3') ? 'mka' : undefined;
    default:
      return sniffMp4(bytes, at);
  }
}

/** Which codec the first page of an Ogg stream begins: its packet follows 27 bytes and the lacing table. */
function sniffOgg(bytes: Uint8Array, at: number): AudioFormat {
  const packet = at + 27 + (bytes[at + 26] ?? 0);
  if (matches(bytes, packet, 'OpusHead')) return 'opus';
  return matches(bytes, packet, 'Speex   ') ? 'spx' : 'ogg';
}

function sniffForm(bytes: Uint8Array, at: number): AudioFormat | undefined {
  if (matches(bytes, at, 'FRM8')) return 'dff';
  return matches(bytes, at, 'FORM') && (matches(bytes, at + 8, 'AIFF') || matches(bytes, at + 8, 'AIFC'))
    ? 'aiff'
    : undefined;
}

/** Sync of an MPEG audio frame; layer 0 is ADTS. */
function sniffMpeg(bytes: Uint8Array, at: number): AudioFormat | undefined {
  const second = bytes[at + 1] ?? 0;
  if ((second & 0xf6) === 0xf0) return 'aac';
  return (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) !== 0 ? 'mp3' : undefined;
}

/** The first atom's name; QuickTime files may begin without `ftyp`. */
function sniffMp4(bytes: Uint8Array, at: number): AudioFormat | undefined {
  const name = at + 4;
  return bytes[at] === 0 && ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].some((atom) => matches(bytes, name, atom))
    ? 'm4a'
    : undefined;
}
