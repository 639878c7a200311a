// Small files of rare formats: encoded by ffmpeg, or built byte by byte for formats that ffmpeg cannot write.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ascii, u16, u16le, u32, u32le, u64le } from './audio-bytes.ts';

interface RareFile {
  name: string;
  format: string;
  codec: string;
  sampleRateHz: number;
  channels: number;
  bitDepth?: number;
  /** Makes the file: through a pipe, or at `path`. */
  make: (path?: string) => Buffer;
}

const SECONDS = 2;

/** Encodes a tone of two seconds with ffmpeg. */
function byFfmpeg(channels: number, rate: number, output: string[], path = 'pipe:1'): Buffer {
  const tone = `sine=frequency=440:duration=${SECONDS}:sample_rate=${rate}`;
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-bitexact', '-f', 'lavfi', '-i', tone, '-ac', String(channels), ...output, path],
    { maxBuffer: 16 << 20 },
  );
  if (status !== 0) throw new Error(String(stderr));
  return stdout;
}

const real = (
  name: string,
  facts: Pick<RareFile, 'format' | 'codec' | 'channels' | 'sampleRateHz' | 'bitDepth'>,
  ...output: string[]
): RareFile => ({ name, ...facts, make: (path) => byFfmpeg(facts.channels, facts.sampleRateHz, output, path) });

/** Encodes through a file, because the headers of some formats stay incomplete without seeking. */
function throughFile<F extends Pick<RareFile, 'name' | 'make'>>(file: F): F & { make: () => Buffer } {
  const makeFile = (): Buffer => {
    const folder = mkdtempSync(join(tmpdir(), 'tonearm-rare-'));
    try {
      file.make(join(folder, file.name));
      return readFileSync(join(folder, file.name));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return { ...file, make: makeFile };
}

export const taggedByFfmpeg = (name: string, tags: Record<string, string>, ...output: string[]): Buffer => {
  const options = Object.entries(tags).flatMap(([key, value]) => ['-metadata', `${key}=${value}`]);
  return throughFile({ name, make: (path) => byFfmpeg(2, 44_100, [...options, ...output], path) }).make();
};

/** Files that ffmpeg encodes. */
export const REAL_FILES: RareFile[] = [
  real('a.tta', { format: 'tta', codec: 'tta', sampleRateHz: 44_100, channels: 2, bitDepth: 16 }, '-f', 'tta'),
  real(
    'a.w64',
    { format: 'w64', codec: 'pcm', sampleRateHz: 44_100, channels: 2, bitDepth: 24 },
    '-c:a',
    'pcm_s24le',
    '-f',
    'w64',
  ),
  real(
    'pcm.caf',
    { format: 'caf', codec: 'pcm', sampleRateHz: 48_000, channels: 1, bitDepth: 16 },
    '-c:a',
    'pcm_s16be',
    '-f',
    'caf',
  ),
  real('a.ac3', { format: 'ac3', codec: 'ac3', sampleRateHz: 48_000, channels: 2 }, '-f', 'ac3'),
  real('surround.ac3', { format: 'ac3', codec: 'ac3', sampleRateHz: 44_100, channels: 6 }, '-f', 'ac3'),
  real('a.eac3', { format: 'eac3', codec: 'eac3', sampleRateHz: 48_000, channels: 2 }, '-c:a', 'eac3', '-f', 'eac3'),
  real(
    'a.dts',
    { format: 'dts', codec: 'dts', sampleRateHz: 48_000, channels: 6 },
    '-c:a',
    'dca',
    '-strict',
    '-2',
    '-f',
    'dts',
  ),
  real('a.loas', { format: 'loas', codec: 'aac', sampleRateHz: 44_100, channels: 2 }, '-c:a', 'aac', '-f', 'latm'),
  real('a.webm', { format: 'mka', codec: 'opus', sampleRateHz: 48_000, channels: 2 }, '-c:a', 'libopus', '-f', 'webm'),
  real('a.mka', { format: 'mka', codec: 'vorbis', sampleRateHz: 44_100, channels: 2 }, '-f', 'matroska'),
];

/** Files that ffmpeg encodes in formats with their own tests, used for mutations. */
export const OTHER_REAL_FILES: RareFile[] = [
  real('a.aac', { format: 'aac', codec: 'aac', sampleRateHz: 44_100, channels: 2 }, '-c:a', 'aac', '-f', 'adts'),
  real('a.wma', { format: 'wma', codec: 'wma', sampleRateHz: 44_100, channels: 2 }, '-c:a', 'wmav2', '-f', 'asf'),
  real('a.spx', { format: 'spx', codec: 'speex', sampleRateHz: 16_000, channels: 1 }, '-c:a', 'libspeex', '-f', 'ogg'),
  real('a.wv', { format: 'wv', codec: 'wavpack', sampleRateHz: 44_100, channels: 2 }, '-f', 'wv'),
].map(throughFile);

/** Makes silence as MPEG 1 layer I: 48 kHz, 384 kbit/s, 12 × 384 / 48 = 96 words per frame. */
function layerOne(): Buffer {
  const frames = 250;
  const bytes = Buffer.alloc(frames * 384);
  for (let n = 0; n < frames; n++) bytes.set([0xff, 0xff, 0xc4, 0x00], n * 384);
  return bytes;
}

/** Makes a Musepack file of stream version 7 at 44.1 kHz: 77 frames, the last of which has 648 samples. */
const musepack7 = (): Buffer =>
  Buffer.concat([
    ascii('MP+\x07'),
    u32le(77),
    u32le(0x40000000 | (15 << 24)),
    Buffer.alloc(8),
    u32le((0x80000000 | (648 << 20)) >>> 0),
    Buffer.alloc(20_000, 0x5a),
  ]);

/** Makes a Musepack file of stream version 8 at 44.1 kHz. */
const musepack8 = (): Buffer =>
  Buffer.concat([
    ascii('MPCKSH\x0f'),
    Buffer.alloc(4),
    Buffer.from([8, 0x80 | 5, 0x80 | 49, 8, 0, 0x1b, 0x1f]), // the header declares 88,200 samples and no silence
    Buffer.from([0]),
    ascii('AP\xa7\x10'),
    Buffer.alloc(20_000, 0x5a),
  ]);

/** Makes a Monkey's Audio file of version 3.99, 16 bit, 44.1 kHz. */
const monkeysAudio = (): Buffer =>
  Buffer.concat([
    ascii('MAC '),
    u16le(3990),
    u16le(0),
    u32le(52),
    u32le(24),
    Buffer.alloc(36),
    u16le(2000),
    u16le(0),
    u32le(73_728),
    u32le(88_200 - 73_728),
    u32le(2),
    u16le(16),
    u16le(2),
    u32le(44_100),
    Buffer.alloc(20_000, 0x5a),
  ]);

/**
 * Makes a TAK file: STREAMINFO of 88,200 samples at 44.1 kHz, 16 bit, stereo; its bits are packed from the lowest up.
 */
function tak(): Buffer {
  const bits = (88_200n << 14n) | (BigInt(44_100 - 6000) << 52n) | (BigInt(16 - 8) << 70n) | (1n << 75n);
  const info = Buffer.from(Array.from({ length: 10 }, (_, n) => Number((bits >> BigInt(8 * n)) & 0xffn)));
  return Buffer.concat([ascii('tBaK\x01\x0a\0\0'), info, Buffer.alloc(4), Buffer.alloc(20_000, 0x5a)]);
}

/** Number of bytes of an eighth of a second of DSD. */
const DSD_BYTES = 88_200;

/** Makes a stereo DSF file of silence. */
export const dsf = (): Buffer =>
  Buffer.concat([
    ascii('DSD '),
    u64le(28),
    u64le(80 + 12 + DSD_BYTES),
    u64le(0),
    ascii('fmt '),
    u64le(52),
    u32le(1),
    u32le(0),
    u32le(2),
    u32le(2),
    u32le(2_822_400),
    u32le(1),
    u64le(DSD_BYTES * 4),
    u32le(4_096),
    u32le(0),
    ascii('data'),
    u64le(12 + DSD_BYTES),
    Buffer.alloc(DSD_BYTES, 0x69),
  ]);

const chunk64 = (name: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([ascii(name), u32(0), u32(body.length), body]);
};

/** Makes a stereo DSDIFF file of silence, one second by default. */
export const dff = (bytes = 705_600): Buffer =>
  chunk64(
    'FRM8',
    ascii('DSD '),
    chunk64('FVER', u32(0x01050000)),
    chunk64(
      'PROP',
      ascii('SND '),
      chunk64('FS  ', u32(2_822_400)),
      chunk64('CHNL', u16(2), ascii('SLFTSRGT')),
      chunk64('CMPR', ascii('DSD '), Buffer.from([3]), ascii('not')),
    ),
    chunk64('DSD ', Buffer.alloc(bytes)),
  );

/** Makes an AIFF file of one second of silence at 8 kHz, 16 bit, mono. */
const aiff = (): Buffer => {
  const chunk = (name: string, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    return Buffer.concat([ascii(name), u32(body.length), body]);
  };
  const rate = Buffer.from('400bfa00000000000000', 'hex'); // the sample rate as an 80-bit float
  const commonChunk = chunk('COMM', u16(1), u32(8_000), u16(16), rate);
  return chunk('FORM', ascii('AIFF'), commonChunk, chunk('SSND', Buffer.alloc(8), Buffer.alloc(16_000)));
};

/** Functions that build files in formats with their own tests, used for mutations. */
export const OTHER_BUILT_FILES: (() => Buffer)[] = [aiff, dsf, () => dff(DSD_BYTES)];

const describeFile = (
  name: string,
  format: string,
  codec: string,
  make: () => Buffer,
  bitDepth?: number,
): RareFile => ({
  name,
  format,
  codec,
  sampleRateHz: 44_100,
  channels: 2,
  ...(bitDepth !== undefined && { bitDepth }),
  make,
});

/** Files that are built byte by byte; no decoder reads their audio. */
export const BUILT_FILES: RareFile[] = [
  { ...describeFile('a.mp1', 'mp3', 'mp1', layerOne), sampleRateHz: 48_000 },
  describeFile('sv7.mpc', 'mpc', 'musepack', musepack7),
  describeFile('sv8.mpc', 'mpc', 'musepack', musepack8),
  describeFile('a.ape', 'ape', 'ape', monkeysAudio, 16),
  describeFile('a.tak', 'tak', 'tak', tak, 16),
];

/** Packs DTS into 14 bits of each 16-bit word, as on CDs. Each frame begins with a new word. */
export function dtsIn14Bits(bytes: Buffer): Buffer {
  const words: Buffer[] = [];
  for (let offset = 0; offset + 8 < bytes.length;) {
    const length = (((bytes.readUInt32BE(offset + 4) & 0x3fff0) >>> 4) & 0x3fff) + 1;
    words.push(in14Bits(bytes.subarray(offset, offset + length)));
    offset += length;
  }
  return Buffer.concat(words);
}

function in14Bits(frame: Buffer): Buffer {
  const words: Buffer[] = [];
  let [heldBits, count] = [0, 0];
  const add = (bits: number): void => void words.push(u16(bits & 0x2000 ? bits | 0xc000 : bits));
  for (const byte of frame) {
    heldBits = (heldBits << 8) | byte;
    count += 8;
    if (count < 14) continue;
    count -= 14;
    add((heldBits >> count) & 0x3fff);
    heldBits &= (1 << count) - 1;
  }
  if (count > 0) add((heldBits << (14 - count)) & 0x3fff);
  return Buffer.concat(words);
}
