// Reads the sample description of an MP4 audio track, and the codec configuration in it, which has precedence. ISO/IEC
// 14496-12 8.5.2, 14496-14 5.6 (esds); ALAC: its magic cookie
import { BitReader } from '../bit-reader.ts';
import { u16be, u32be } from '../integers.ts';
import { readAacConfiguration } from './aac-configuration.ts';
import { UnreadableAudio } from '../types.ts';
import { atom, type AtomReader } from './mp4-atoms.ts';

export interface Mp4Codec {
  /** Empty until a sample description is read. */
  codec: string;
  sampleRateHz: number;
  channels: number;
  bitDepth?: number;
  lossless: boolean;
}

const CODECS = new Map<number, { codec: string; lossless?: boolean }>([
  [atom('mp4a'), { codec: 'aac' }],
  [atom('alac'), { codec: 'alac', lossless: true }],
  [atom('fLaC'), { codec: 'flac', lossless: true }],
  [atom('Opus'), { codec: 'opus' }],
  [atom('.mp3'), { codec: 'mp3' }],
  [atom('ac-3'), { codec: 'ac3' }],
  [atom('ec-3'), { codec: 'eac3' }],
  [atom('sowt'), { codec: 'pcm', lossless: true }],
  [atom('twos'), { codec: 'pcm', lossless: true }],
  [atom('lpcm'), { codec: 'pcm', lossless: true }],
  [atom('in24'), { codec: 'pcm', lossless: true }],
  [atom('ipcm'), { codec: 'pcm', lossless: true }],
  [atom('samr'), { codec: 'amr' }],
]);
/** Audio that is encrypted: iTunes purchases until 2009, and Common Encryption. */
const PROTECTED: ReadonlySet<number> = new Set(['drms', 'enca', 'aavd'].map(atom));
const ESDS = atom('esds');
const ALAC = atom('alac');
const DFLA = atom('dfLa');
const WAVE = atom('wave');
/** Object types of `esds` that are not AAC. */
const ESDS_CODECS: Record<number, string> = {
  0x69: 'mp3',
  0x6b: 'mp3',
  0xdd: 'vorbis',
  0xa5: 'ac3',
  0xa6: 'eac3',
  0xa9: 'dts',
  0xad: 'opus',
};

/** Reads the first description of the `stsd` atom with its body at `at`. */
export function readSampleEntry(atoms: AtomReader, position: number, limit: number, track: Mp4Codec): void {
  if (track.codec !== '' || !atoms.read(position + 8, limit)) return;
  const { name, bodyAt, end, window } = atoms;
  const i = window.at(bodyAt, 28);
  if (i < 0 || bodyAt + 28 > end) return;
  const b = window.bytes;
  if (PROTECTED.has(name))
    throw new UnreadableAudio('it is copy-protected, and only the player of its shop can play it');
  const codecInfo = CODECS.get(name);
  track.codec =
    codecInfo?.codec ??
    b
      .toString('latin1', i - 4, i)
      .replace(/[^\w-]/g, '')
      .toLowerCase();
  track.lossless = codecInfo?.lossless ?? false;
  track.channels = u16be(b, i + 16);
  if (track.lossless) track.bitDepth = u16be(b, i + 18);
  track.sampleRateHz = u16be(b, i + 24);
  const version = u16be(b, i + 8); // QuickTime versions have longer descriptions
  const children = bodyAt + 28 + (version === 1 ? 16 : version === 2 ? 36 : 0);
  readConfiguration(atoms, children, end, track);
}

function readConfiguration(atoms: AtomReader, start: number, limit: number, track: Mp4Codec): void {
  atoms.each(start, limit, (name, bodyAt, end) => {
    if (name === ESDS) readEsds(atoms, bodyAt, end, track);
    else if (name === ALAC) readAlacCookie(atoms, bodyAt, end, track);
    else if (name === DFLA) readFlacInfo(atoms, bodyAt, end, track);
    else if (name === WAVE) readConfiguration(atoms, bodyAt, end, track);
  });
}

function readAlacCookie(atoms: AtomReader, position: number, end: number, track: Mp4Codec): void {
  const i = atoms.window.at(position + 4, 24); // the configuration follows the atom's version and flags
  if (i < 0 || position + 28 > end) return;
  const b = atoms.window.bytes;
  const rate = u32be(b, i + 20);
  if (rate === 0) return;
  track.bitDepth = b[i + 5] as number;
  track.channels = b[i + 9] as number;
  track.sampleRateHz = rate;
}

/** Reads STREAMINFO, after version and a block header. */
function readFlacInfo(atoms: AtomReader, position: number, end: number, track: Mp4Codec): void {
  const i = atoms.window.at(position + 8, 18);
  if (i < 0 || position + 26 > end) return;
  const b = atoms.window.bytes;
  const word = u32be(b, i + 10);
  track.sampleRateHz = word >>> 12;
  track.channels = ((word >>> 9) & 7) + 1;
  track.bitDepth = ((word >>> 4) & 31) + 1;
}

/**
 * Reads nested descriptors: a tag, a length in groups of seven bits, the body. Only three kinds of descriptors matter.
 */
function readEsds(atoms: AtomReader, position: number, end: number, track: Mp4Codec): void {
  const length = Math.min(end - position, 512);
  const i = atoms.window.at(position, length);
  if (i < 0) return;
  const b = atoms.window.bytes;
  const dataEnd = i + length;
  for (let k = i + 4; k + 2 < dataEnd;) {
    const tag = b[k++] as number;
    while (k < dataEnd && (b[k] as number) & 0x80) k++; // skips the length: descriptors are found by tag
    k++;
    if (tag === 3) k += 3 + skippedFlags(b, k);
    else if (tag === 4) {
      const codec = ESDS_CODECS[b[k] as number];
      if (codec !== undefined) track.codec = codec;
      k += 13;
    } else {
      if (tag !== 5 || track.codec !== 'aac') return;
      const { sampleRateHz, channels } = readAacConfiguration(new BitReader(b, k, dataEnd));
      if (sampleRateHz > 0) track.sampleRateHz = sampleRateHz;
      if (channels > 0) track.channels = channels;
      return;
    }
  }
}

/** Returns the size of optional parts of an ES descriptor: dependency, URL, clock. */
function skippedFlags(b: Buffer, k: number): number {
  const flags = b[k + 2] ?? 0;
  return (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (b[k + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0);
}
