// Fingerprints a file with the first method that works: fpcalc; Chromaprint in WebAssembly on samples from ffmpeg;
// Chromaprint on samples from Tonearm's own decoders. Their fingerprints share at least 0.9996 of the bits (measured),
// so they are interchangeable.
import { availableParallelism } from 'node:os';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { SoundStep } from '../dsp/listener.ts';
import type { Log } from '../log/log.ts';
import { ALGORITHM, compressFingerprint } from './fingerprint-code.ts';
import { ANY_SINGLE_FILE, demuxerOf, inputFormat, PCM_RATE_HZ, runFfmpeg, runFpcalc } from './fingerprint-programs.ts';
import { createFingerprintThreads } from './fingerprint-threads.ts';
import type { ListenOrder, ListenResult } from './listen.ts';
import type { FindTool, Tool, ToolName } from './tools.ts';

/** The number of seconds at the start of the file that are fingerprinted, as in AcoustID. */
const FINGERPRINT_SECONDS = 120;
const MIN_DURATION_MS = 3_000;
/** Time limit for a whole track, to which its length divided by the slowest decoding speed is added. */
const MIN_LISTEN_TIMEOUT_MS = 60_000;
const MIN_DECODING_SPEED = 4;
/** Minimum number of different values: silence and steady tones repeat one value and would match each other. */
const MIN_DISTINCT_VALUES = 8;

type FingerprintMethod = 'fpcalc' | 'ffmpeg' | 'wasm';

export interface Fingerprint {
  /** The fingerprint in AcoustID's text form. */
  compressed: string;
  /** The fingerprint as numbers, one per 0.124 s. */
  raw: Uint32Array;
  /** Duration of the whole file. */
  durationMs: number;
  algorithm: typeof ALGORITHM;
  method: FingerprintMethod;
}

/**
 * Why a file has no fingerprint. `unavailable`: no program or decoder for its format. `slow`: decoding took too long,
 * or was stopped. `unreadable`: decoding failed.
 */
export class NoFingerprint extends Error {
  override name = 'NoFingerprint';
  readonly kind: 'unavailable' | 'slow' | 'too_short' | 'silent' | 'unreadable';
  constructor(kind: NoFingerprint['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A local file with the facts from its reader. */
export interface SoundFile {
  path: string;
  format: string;
  durationMs: number;
  /** Start of the section to fingerprint, for files of any format. */
  startMs?: number;
}

export interface WholeSound extends Pick<SoundFile, 'path' | 'format' | 'durationMs'> {
  /** The samples of the track, if the file has other tracks too. */
  section?: NonNullable<ListenOrder['section']> & { seekSeconds?: number };
}

export interface ListenWish {
  steps: readonly SoundStep[];
  wantsFingerprint: boolean;
}

export interface Listened {
  heard: ListenResult['heard'];
  /** The fingerprint, or with `none` the reason why the track has no fingerprint. */
  sound?: Pick<Fingerprint, 'raw' | 'durationMs'> | { none: string };
}

export interface FingerprinterDeps {
  findTool: FindTool;
  /** Returns the current value of FPCALC_PATH or FFMPEG_PATH. */
  toolPath: (name: 'fpcalc' | 'ffmpeg') => string | undefined;
  workerUrl: URL;
  wasmPath: string;
  log: Log;
  /** Maximum number of concurrent processes and threads. */
  atOnce?: number;
  /** Time limit of Tonearm's own decoders, in ms. */
  decodeLimitMs?: number;
}

export type Fingerprinter = ReturnType<typeof createFingerprinter>;

export function createFingerprinter({
  findTool,
  toolPath,
  workerUrl,
  wasmPath,
  log,
  atOnce = availableParallelism(),
  decodeLimitMs,
}: FingerprinterDeps) {
  const threads = createFingerprintThreads({
    workerUrl,
    wasmPath,
    seconds: FINGERPRINT_SECONDS,
    limitMs: decodeLimitMs,
  });
  const runInTurn = createTurns(atOnce);
  let loggedReason: string | undefined;

  /** Finds a program. Logs once if a configured program does not work; then the next method is used. */
  async function tool(name: ToolName & ('fpcalc' | 'ffmpeg')): Promise<Tool | undefined> {
    try {
      return await findTool(name, toolPath(name));
    } catch (error) {
      const reason = messageOf(error);
      if (loggedReason !== reason) log.warn({ reason }, 'a fingerprint program is not used');
      loggedReason = reason;
      return undefined;
    }
  }

  async function askThread(request: Parameters<typeof threads.ask>[0], signal: AbortSignal) {
    const response = await threads.ask(request, signal);
    if ('raw' in response) return { raw: response.raw, why: undefined };
    return { raw: undefined, why: 'reason' in response ? response.reason : undefined };
  }

  /** Decodes a whole track once. Throws NoFingerprint with kind `unavailable`, `slow` or `unreadable`. */
  async function listen(
    { path, format, durationMs, section }: WholeSound,
    { steps, wantsFingerprint }: ListenWish,
    signal: AbortSignal,
  ): Promise<Listened> {
    const demuxer = section ? ANY_SINGLE_FILE : demuxerOf(format);
    const ffmpeg = demuxer === undefined ? undefined : await tool('ffmpeg');
    const limitMs = MIN_LISTEN_TIMEOUT_MS + Math.round(durationMs / MIN_DECODING_SPEED);
    // limits ffmpeg's processor time: if the thread that started ffmpeg is terminated, nobody else ends it
    const timeLimit = ['-timelimit', String(Math.ceil(limitMs / 500))];
    const program = ffmpeg &&
      demuxer !== undefined && {
        program: ffmpeg.path,
        input: [...timeLimit, ...inputFormat(demuxer), ...seek(section)],
      };
    const order = { kind: 'listen', path, section, steps: [...steps], wantsFingerprint } as const;
    let response = await threads.ask({ ...order, ...(program && { ffmpeg: program }) }, signal, limitMs);
    if ('reason' in response && program && !section) response = await threads.ask(order, signal, limitMs);
    if ('heard' in response) {
      const { heard, fingerprint } = response.heard;
      return { heard, ...(fingerprint && { sound: toSound(fingerprint, durationMs) }) };
    }
    if ('reason' in response)
      throw new NoFingerprint(
        response.isSlow ? 'slow' : 'unreadable',
        `The audio could not be decoded: ${response.reason}.`,
      );
    throw new NoFingerprint('unavailable', `Analyzing ${format} files requires ffmpeg.`);
  }

  async function fingerprintRaw(
    { path, format, durationMs, startMs }: SoundFile,
    signal: AbortSignal,
  ): Promise<RawFingerprint> {
    const isPart = startMs !== undefined;
    const demuxer = isPart ? ANY_SINGLE_FILE : demuxerOf(format);
    const seconds = isPart ? Math.min(FINGERPRINT_SECONDS, durationMs / 1_000) : FINGERPRINT_SECONDS;
    const range = { seconds, startSeconds: (startMs ?? 0) / 1_000 };
    const input = demuxer === undefined ? undefined : { path, demuxer, ...range, signal };
    const fpcalc = input && !isPart && (await tool('fpcalc'));
    if (input && fpcalc) {
      const raw = await runFpcalc(fpcalc.path, input);
      if (raw) return { raw, method: 'fpcalc' };
    }
    const ffmpeg = input && (await tool('ffmpeg'));
    if (input && ffmpeg) {
      const samples = await runFfmpeg(ffmpeg.path, input);
      const { raw } =
        samples.length > 0
          ? await askThread({ kind: 'samples', samples, sampleRateHz: PCM_RATE_HZ, channels: 1 }, signal)
          : { raw: undefined };
      if (raw) return { raw, method: 'ffmpeg' };
    }
    if (isPart) throw new NoFingerprint('unavailable', 'Fingerprinting a part of a file requires ffmpeg.');
    const { raw, why: reason } = await askThread({ kind: 'file', path }, signal);
    if (raw) return { raw, method: 'wasm' };
    if (reason !== undefined) throw new NoFingerprint('unreadable', `The audio could not be decoded: ${reason}.`);
    if (fpcalc ?? ffmpeg) throw new NoFingerprint('unreadable', 'The audio could not be decoded.');
    throw new NoFingerprint('unavailable', `Fingerprinting ${format} files requires fpcalc or ffmpeg.`);
  }

  return {
    /** Fingerprints a file. Throws NoFingerprint, or the reason of `signal`. */
    async fingerprint(file: SoundFile, signal: AbortSignal): Promise<Fingerprint> {
      if (file.durationMs < MIN_DURATION_MS) throw tooShort();
      const rawFingerprint = await runInTurn(() => fingerprintRaw(file, signal), signal);
      await afterOthers(); // lets the next program start before this one's output is processed
      return toFingerprint(rawFingerprint, file.durationMs);
    },

    /** Analyzes whole tracks. Throws NoFingerprint, or the reason of `signal`. */
    listen: (file: WholeSound, wish: ListenWish, signal: AbortSignal): Promise<Listened> =>
      runInTurn(() => listen(file, wish, signal), signal),

    /** Returns the method that is tried first. */
    async method(): Promise<{ method: FingerprintMethod; version: string | null }> {
      for (const name of ['fpcalc', 'ffmpeg'] as const) {
        const firstTool = await tool(name);
        if (firstTool) return { method: name, version: firstTool.version };
      }
      return { method: 'wasm', version: null };
    },

    close: threads.close,
  };
}

function toSound(raw: Uint32Array, durationMs: number): NonNullable<Listened['sound']> {
  try {
    if (durationMs < MIN_DURATION_MS) throw tooShort();
    return toFingerprint({ raw, method: 'wasm' }, durationMs);
  } catch (error) {
    if (error instanceof NoFingerprint) return { none: error.message };
    throw error;
  }
}

const seek = (section: WholeSound['section']): string[] =>
  section?.seekSeconds ? ['-ss', section.seekSeconds.toFixed(6)] : [];

const tooShort = (): NoFingerprint =>
  new NoFingerprint('too_short', 'It is shorter than 3 s, too short for a fingerprint.');

interface RawFingerprint {
  raw: Uint32Array;
  method: FingerprintMethod;
}

function toFingerprint({ raw, method }: RawFingerprint, durationMs: number): Fingerprint {
  if (raw.length === 0) throw new NoFingerprint('too_short', 'It has too little audio for a fingerprint.');
  if (new Set(raw).size < MIN_DISTINCT_VALUES)
    throw new NoFingerprint('silent', 'It is silent or a steady tone, which cannot be identified.');
  return { compressed: compressFingerprint(raw), raw, durationMs, algorithm: ALGORITHM, method };
}

/** Limits concurrency; further calls wait in order, until they are aborted. */
function createTurns(limit: number) {
  const queue: (() => void)[] = [];
  let runningCount = 0;
  return async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    if (runningCount >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else runningCount++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const runNext = queue.shift();
      if (runNext) runNext(); // passes its slot to the next call
      else runningCount--;
    }
  };
}
