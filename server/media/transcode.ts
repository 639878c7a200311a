// Transcodes audio with ffmpeg, without a shell. The input is restricted to the `file` protocol and single-file
// demuxers, so that a malicious file cannot make ffmpeg open URLs or other files.
import { spawn, type StdioOptions } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { childEnvironment } from '../runtime/child-environment.ts';
import { PLAIN_READ_FLAGS } from '../runtime/plain-files.ts';
import { DEMUXERS } from './audio-formats.ts';

export interface Profile {
  contentType: string;
  extension: string;
  /** Name of the container for Subsonic clients. */
  container: string;
  codec: string;
  /** Absent for lossless formats. */
  bitrate?: Bitrates;
  encode: (order: Pick<TranscodeOrder, 'bitrateKbps' | 'sampleRateHz' | 'continuesAtMs'>) => string[];
}

/** Bit rates in kbps. Encoders keep a bit rate only at some sample rates, and mono only at some bit rates. */
interface Bitrates {
  min: number;
  max: number;
  defaultKbps: number;
  /** The only bit rates of the format, if it has a fixed set. */
  steps?: readonly number[];
  /** The encoder's sample rates; audio at other rates is resampled to the nearest of these. */
  sampleRatesHz: readonly number[];
  /** Above this bit rate, mono becomes stereo. */
  maxMonoKbps: number;
  /** True if the bit rate is constant. */
  isConstant?: true;
}

/** Bit rates of MPEG-1. With lower sample rates, MP3 ends at 64 or 160 kbps. */
const MP3_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
/** Bit rates that ffmpeg's own AAC encoder reaches with any audio; a pure tone requested at 320 kbps gets only 283. */
const AAC_RATES = { min: 32, max: 256, defaultKbps: 160, sampleRatesHz: [48_000], maxMonoKbps: 80 };
const VORBIS_HZ = [44_100, 48_000];

const kbps = (bitrate: number): string[] => ['-b:a', `${bitrate}k`];
/** Above this bit rate, options that save bits would leave a fifth of the bits unused. */
const AAC_SAVING_KBPS = 160;
const aac = (bitrate: number): string[] => [
  '-c:a',
  'aac',
  ...kbps(bitrate),
  ...(bitrate > AAC_SAVING_KBPS ? ['-aac_ms', '0', '-aac_is', '0', '-aac_pns', '0', '-cutoff', '20000'] : []),
];
/**
 * Returns the bit rate options of libvorbis, which takes the average for an upper limit, so the lower limit is set too.
 * At unusual sample rates it refuses many bit rates, but its quality scale always works.
 */
const vorbisRate = (bitrate: number, sampleRateHz: number | undefined): string[] =>
  sampleRateHz === undefined || VORBIS_HZ.includes(sampleRateHz)
    ? [...kbps(bitrate), '-minrate', `${bitrate}k`, '-maxrate', `${bitrate}k`]
    : ['-q:a', String(Math.min(9, Math.max(0, Math.round((bitrate - 64) / 20))))];

export const PROFILES = {
  mp3: {
    contentType: 'audio/mpeg',
    extension: 'mp3',
    container: 'mp3',
    codec: 'mp3',
    bitrate: {
      min: 32,
      max: 320,
      defaultKbps: 192,
      steps: MP3_KBPS,
      sampleRatesHz: [32_000, 44_100, 48_000],
      maxMonoKbps: 320,
      isConstant: true,
    },
    encode: ({ bitrateKbps }) => [
      '-c:a',
      'libmp3lame',
      ...kbps(bitrateKbps),
      '-write_xing',
      '0',
      '-id3v2_version',
      '0',
      '-f',
      'mp3',
    ],
  },
  opus: {
    contentType: 'audio/ogg; codecs=opus',
    extension: 'opus',
    container: 'ogg',
    codec: 'opus',
    bitrate: { min: 16, max: 320, defaultKbps: 128, sampleRatesHz: [48_000], maxMonoKbps: 128 },
    encode: ({ bitrateKbps }) => ['-c:a', 'libopus', ...kbps(bitrateKbps), '-vbr', 'constrained', '-f', 'ogg'],
  },
  ogg: {
    contentType: 'audio/ogg',
    extension: 'ogg',
    container: 'ogg',
    codec: 'vorbis',
    bitrate: { min: 48, max: 320, defaultKbps: 160, sampleRatesHz: VORBIS_HZ, maxMonoKbps: 192 },
    encode: ({ bitrateKbps, sampleRateHz }) => [
      '-c:a',
      'libvorbis',
      ...vorbisRate(bitrateKbps, sampleRateHz),
      '-f',
      'ogg',
    ],
  },
  aac: {
    contentType: 'audio/aac',
    extension: 'aac',
    container: 'aac',
    codec: 'aac',
    bitrate: AAC_RATES,
    encode: ({ bitrateKbps }) => [...aac(bitrateKbps), '-f', 'adts'],
  },
  m4a: {
    contentType: 'audio/mp4',
    extension: 'm4a',
    container: 'mp4',
    codec: 'aac',
    bitrate: AAC_RATES,
    encode: ({ bitrateKbps, continuesAtMs }) => [
      ...aac(bitrateKbps),
      '-movflags',
      `empty_moov+default_base_moof${continuesAtMs === undefined ? '' : '+frag_discont'}`,
      '-frag_duration',
      '1000000',
      '-f',
      'mp4',
    ],
  },
  flac: {
    contentType: 'audio/flac',
    extension: 'flac',
    container: 'flac',
    codec: 'flac',
    encode: () => ['-c:a', 'flac', '-f', 'flac'],
  },
  wav: {
    contentType: 'audio/wav',
    extension: 'wav',
    container: 'wav',
    codec: 'pcm',
    encode: () => ['-c:a', 'pcm_s16le', '-f', 'wav'],
  },
} satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
export const isProfileName = (name: string): name is ProfileName => Object.hasOwn(PROFILES, name);
export const bitratesOf = (name: ProfileName): Bitrates | undefined => (PROFILES[name] as Profile).bitrate;

/** Returns the highest bit rate up to the requested one, in kbps; 0 for profiles without bit rates. */
export function fittingBitrate(name: ProfileName, requestedKbps: number | undefined): number {
  const bitrate = bitratesOf(name);
  if (bitrate === undefined) return 0;
  const { min, max, defaultKbps, steps } = bitrate;
  const limitedKbps = Math.min(Math.max(Math.round(requestedKbps ?? defaultKbps), min), max);
  return steps?.findLast((step) => step <= limitedKbps) ?? limitedKbps;
}

/** Returns the output sample rate of a profile for an input rate. */
export function fittingSampleRate(name: ProfileName, hz: number): number {
  const rates = bitratesOf(name)?.sampleRatesHz ?? [hz];
  return rates.reduce((nearestRate, rate) => (Math.abs(rate - hz) < Math.abs(nearestRate - hz) ? rate : nearestRate));
}

/** Returns whether the encoder keeps to the order's bit rate, which libvorbis cannot at unusual sample rates. */
export const isBitrateKept = ({ profile, sampleRateHz }: TranscodeOrder): boolean =>
  profile !== 'ogg' || sampleRateHz === undefined || VORBIS_HZ.includes(sampleRateHz);

/** A part of a file with the samples `[start, end)`; without `end`, up to the end of the file. */
export interface FileSection {
  start: number;
  end: number | null;
  sampleRateHz: number;
  /**
   * True if decoding may begin at the section; lossy formats must be decoded from their beginning to give the same
   * samples.
   */
  isLossless: boolean;
}

export interface TranscodeOrder {
  profile: ProfileName;
  /** Bit rate in kbps, within the profile's limits. */
  bitrateKbps: number;
  startMs: number;
  /** Transcodes only this section, exact to the sample; `startMs` counts from its beginning. */
  section?: FileSection | undefined;
  /** Maximum number of channels. */
  channels?: number | undefined;
  sampleRateHz?: number | undefined;
  /** The position in the file of the MP3 frame at `startMs`: ffmpeg would read all frames before it to find it. */
  firstFrameByte?: number | undefined;
  /** Set when the output continues another stream: its times count from here, and its head is to be left out. */
  continuesAtMs?: number;
}

const seekTo = (seconds: number): string[] => (seconds > 0 ? ['-ss', seconds.toFixed(6)] : []);

const sectionFrom = ({ start, sampleRateHz }: FileSection, startMs: number): number =>
  start + Math.round((startMs * sampleRateHz) / 1_000);

/** Returns the filter that cuts the section, counting samples from the position where decoding began. */
function trimFilter(section: FileSection, startMs: number): string {
  const start = sectionFrom(section, startMs);
  const firstSample = section.isLossless ? 0 : start;
  const end = section.end === null ? '' : `:end_sample=${section.end - start + firstSample}`;
  return `atrim=start_sample=${firstSample}${end},asetpts=N/SR/TB`;
}

/** Returns ffmpeg's filter for a sample rate and channels at which the profile keeps its bit rate. */
function conversionArguments({ profile, bitrateKbps, channels, sampleRateHz }: TranscodeOrder): string[] {
  const bitrate = bitratesOf(profile);
  if (bitrate === undefined) return [];
  const layouts = bitrateKbps > bitrate.maxMonoKbps && channels !== 1 ? 'stereo' : 'mono|stereo';
  const rates = sampleRateHz ?? bitrate.sampleRatesHz.join('|');
  return [`aformat=sample_rates=${rates}:channel_layouts=${layouts}`];
}

function filtersOf(order: TranscodeOrder): string[] {
  const { section, startMs } = order;
  const filters = [...(section ? [trimFilter(section, startMs)] : []), ...conversionArguments(order)];
  return filters.length === 0 ? [] : ['-af', filters.join(',')];
}

/**
 * Options with which the same audio gives the same bytes, so that a download can be resumed from another transcoding
 * run.
 */
const REPRODUCIBLE_ARGUMENTS = ['-fflags', '+bitexact', '-flags:a', '+bitexact'];

export const transcodeArguments = (input: string, order: TranscodeOrder): string[] => {
  const { profile, startMs, section, channels, sampleRateHz, continuesAtMs, firstFrameByte } = order;
  return [
    '-nostdin',
    '-hide_banner',
    '-loglevel',
    'error',
    '-nostats',
    '-progress',
    'pipe:2',
    '-protocol_whitelist',
    'file,pipe',
    '-format_whitelist',
    DEMUXERS.join(','),
    ...(firstFrameByte === undefined ? [] : ['-skip_initial_bytes', String(firstFrameByte), '-f', 'mp3']),
    ...seekTo(
      firstFrameByte !== undefined
        ? 0
        : section
          ? section.isLossless
            ? sectionFrom(section, startMs) / section.sampleRateHz
            : 0
          : startMs / 1_000,
    ),
    '-i',
    `file:${input}`,
    '-map',
    '0:a:0',
    ...filtersOf(order),
    '-vn',
    '-sn',
    '-dn',
    '-map_metadata',
    '-1',
    '-map_chapters',
    '-1',
    '-threads',
    '1',
    ...(channels === undefined ? [] : ['-ac', String(channels)]),
    ...(sampleRateHz === undefined ? [] : ['-ar', String(sampleRateHz)]),
    ...REPRODUCIBLE_ARGUMENTS,
    ...(continuesAtMs === undefined
      ? []
      : ['-output_ts_offset', (continuesAtMs / 1_000).toFixed(6), '-avoid_negative_ts', 'disabled']),
    ...PROFILES[profile].encode(order),
    // decoders of lossy formats return floats
    ...(section && !section.isLossless && profile === 'flac' ? ['-sample_fmt', 's16'] : []),
    'pipe:1',
  ];
};

/** Offset in the FLAC header of its 36 bits for the number of samples. */
const FLAC_SAMPLES_OFFSET = 21;

/**
 * Writes the number of samples into the start of a section's FLAC. ffmpeg leaves the number out because it cannot seek
 * in a pipe; players need it to show the length and to seek.
 */
export function announceLength(
  head: Buffer,
  { profile, section, startMs, sampleRateHz }: TranscodeOrder,
  ms: number,
): void {
  if (profile !== 'flac' || !section || sampleRateHz !== undefined) return;
  if (head.length < FLAC_SAMPLES_OFFSET + 5 || head.toString('latin1', 0, 4) !== 'fLaC') return;
  const { end } = section;
  const samples = end === null ? Math.round((ms * section.sampleRateHz) / 1_000) : end - sectionFrom(section, startMs);
  head.writeUInt8(((head[FLAC_SAMPLES_OFFSET] as number) & 0xf0) | Math.floor(samples / 2 ** 32), FLAC_SAMPLES_OFFSET);
  head.writeUInt32BE(samples % 2 ** 32, FLAC_SAMPLES_OFFSET + 1);
}

interface TranscodeEnd {
  /** True for exit code 0 and no error output. */
  isClean: boolean;
  /** True if the program was killed, so that the output ends anywhere. */
  isKilled: boolean;
  /** Duration of the output. */
  outputMs: number;
  /** ffmpeg's last error output. */
  complaint: string;
}

export interface RunningTranscode {
  pid: number | undefined;
  output: Readable;
  /** Resolves when ffmpeg has ended; never rejects. */
  end: Promise<TranscodeEnd>;
  kill(): void;
}

const MAX_ERROR_CHARACTERS = 2_000;

/** Starts ffmpeg. An `input` whose name is not UTF-8 cannot be an argument, so it is passed as an open file. */
export function startTranscode(ffmpeg: string, input: string | Buffer, order: TranscodeOrder): RunningTranscode {
  const name = typeof input === 'string' ? input : input.toString('utf8');
  const isSayable = typeof input === 'string' || Buffer.from(name, 'utf8').equals(input);
  const fd = isSayable ? undefined : openSync(input, PLAIN_READ_FLAGS);
  const stdio: StdioOptions = [fd ?? 'ignore', 'pipe', 'pipe'];
  const child = spawn(ffmpeg, transcodeArguments(isSayable ? name : '/dev/fd/0', order), {
    stdio,
    env: childEnvironment(),
    windowsHide: true,
  });
  if (fd !== undefined) closeSync(fd); // ffmpeg has its own copy of the descriptor
  const report = readReport(child.stderr as Readable);
  const end = new Promise<TranscodeEnd>((resolve) => {
    child.once('error', (error) => resolve({ isClean: false, isKilled: false, outputMs: 0, complaint: error.message }));
    child.once('close', (code) =>
      resolve({
        isClean: code === 0 && report.complaint() === '',
        isKilled: code === null,
        outputMs: report.outputMs(),
        complaint: report.complaint() || `ended with ${code}`,
      }),
    );
  });
  return { pid: child.pid, output: child.stdout as Readable, end, kill: () => void child.kill('SIGKILL') };
}

/** Reads ffmpeg's messages: lines `name=value` are progress, all others are errors. */
function readReport(stderr: Readable) {
  let [remainder, errorText, outputMs] = ['', '', 0];
  stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (remainder + text).split('\n');
    remainder = (lines.pop() ?? '').slice(-MAX_ERROR_CHARACTERS);
    for (const line of lines) {
      const time = /^out_time_us=(\d+)/.exec(line)?.[1];
      if (time !== undefined) outputMs = Number(time) / 1_000;
      else if (!/^\w+=/.test(line)) errorText = `${errorText}${line}\n`.slice(-MAX_ERROR_CHARACTERS);
    }
  });
  return { outputMs: () => outputMs, complaint: () => errorText.trim() };
}
