// The acoustic fingerprint of a file, by the first of these that gives one: the program fpcalc · samples from ffmpeg
// and the Chromaprint library · the library with decoders of its own. Measured, they agree in 0.9996 of the bits and
// more, so it does not matter which.
import { availableParallelism } from 'node:os';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { ALGORITHM, compressFingerprint } from './fingerprint-code.ts';
import { demuxerOf, PCM_RATE_HZ, runFfmpeg, runFpcalc } from './fingerprint-programs.ts';
import { createFingerprintThreads } from './fingerprint-threads.ts';
import type { FindTool, Tool, ToolName } from './tools.ts';

/** Seconds of the beginning that are heard, as AcoustID's own are made. */
const HEARD_SECONDS = 120;
const SHORTEST_MS = 3_000;
/** Silence and a steady tone give one number over and over, and would match each other. */
const LEAST_VARIETY = 8;

export type FingerprintMethod = 'fpcalc' | 'ffmpeg' | 'wasm';

export interface Fingerprint {
  /** As AcoustID takes it. */
  compressed: string;
  /** 32 bits for every 0.124 s. */
  raw: Uint32Array;
  /** Of the whole file, as it was given. */
  durationMs: number;
  algorithm: typeof ALGORITHM;
  method: FingerprintMethod;
}

/**
 * Why a file has none. `unavailable`: nothing here can decode it, which is no fault of the file · `too_short` ·
 * `silent` · `unreadable`: something should have decoded it and could not. `message` is a sentence.
 */
export class NoFingerprint extends Error {
  override name = 'NoFingerprint';
  readonly kind: 'unavailable' | 'too_short' | 'silent' | 'unreadable';
  constructor(kind: NoFingerprint['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A file on the local disk, and what its reader said of it. */
export interface SoundFile {
  path: string;
  format: string;
  durationMs: number;
}

export interface FingerprinterDeps {
  findTool: FindTool;
  /** The settings FPCALC_PATH and FFMPEG_PATH, as they are now. */
  toolPath: (name: 'fpcalc' | 'ffmpeg') => string | undefined;
  workerUrl: URL;
  wasmPath: string;
  log: Log;
  /** Processes and threads at once. */
  atOnce?: number;
  /** How long the decoders of our own may take. */
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
  const threads = createFingerprintThreads({ workerUrl, wasmPath, seconds: HEARD_SECONDS, limitMs: decodeLimitMs });
  const turn = createTurns(atOnce);
  let warned: string | undefined;

  /** A configured program that does not work is said once, and the next way is taken. */
  async function tool(name: ToolName & ('fpcalc' | 'ffmpeg')): Promise<Tool | undefined> {
    try {
      return await findTool(name, toolPath(name));
    } catch (error) {
      const reason = messageOf(error);
      if (warned !== reason) log.warn({ reason }, 'a program for fingerprints is not used');
      warned = reason;
      return undefined;
    }
  }

  async function byThread(request: Parameters<typeof threads.ask>[0], signal: AbortSignal) {
    const response = await threads.ask(request, signal);
    if ('raw' in response) return { raw: response.raw, why: undefined };
    return { raw: undefined, why: 'reason' in response ? response.reason : undefined };
  }

  async function hear({ path, format }: SoundFile, signal: AbortSignal): Promise<Heard> {
    const demuxer = demuxerOf(format);
    const input = demuxer === undefined ? undefined : { path, demuxer, seconds: HEARD_SECONDS, signal };
    const fpcalc = input && (await tool('fpcalc'));
    if (input && fpcalc) {
      const raw = await runFpcalc(fpcalc.path, input);
      if (raw) return { raw, method: 'fpcalc' };
    }
    const ffmpeg = input && (await tool('ffmpeg'));
    if (input && ffmpeg) {
      const samples = await runFfmpeg(ffmpeg.path, input);
      const { raw } =
        samples.length > 0
          ? await byThread({ kind: 'samples', samples, sampleRateHz: PCM_RATE_HZ, channels: 1 }, signal)
          : { raw: undefined };
      if (raw) return { raw, method: 'ffmpeg' };
    }
    const { raw, why } = await byThread({ kind: 'file', path }, signal);
    if (raw) return { raw, method: 'wasm' };
    if (why !== undefined) throw new NoFingerprint('unreadable', `The sound could not be decoded: ${why}.`);
    if (fpcalc ?? ffmpeg) throw new NoFingerprint('unreadable', 'The sound could not be decoded.');
    throw new NoFingerprint('unavailable', `Fingerprints of ${format} files need the program fpcalc or ffmpeg.`);
  }

  return {
    /** Throws NoFingerprint, or the reason of `signal`. */
    async fingerprint(file: SoundFile, signal: AbortSignal): Promise<Fingerprint> {
      if (file.durationMs < SHORTEST_MS)
        throw new NoFingerprint('too_short', 'It is shorter than 3 s, too little to know it by its sound.');
      const heard = await turn(() => hear(file, signal), signal);
      await afterOthers(); // the next program starts before anything is made of what this one wrote
      return checked(heard, file.durationMs);
    },

    /** What the next file is tried with first. */
    async method(): Promise<{ method: FingerprintMethod; version: string | null }> {
      for (const name of ['fpcalc', 'ffmpeg'] as const) {
        const found = await tool(name);
        if (found) return { method: name, version: found.version };
      }
      return { method: 'wasm', version: null };
    },

    close: threads.close,
  };
}

interface Heard {
  raw: Uint32Array;
  method: FingerprintMethod;
}

function checked({ raw, method }: Heard, durationMs: number): Fingerprint {
  if (raw.length === 0) throw new NoFingerprint('too_short', 'There is too little sound in it to know it by.');
  if (new Set(raw).size < LEAST_VARIETY)
    throw new NoFingerprint('silent', 'It holds silence or one steady tone, which cannot be told from another.');
  return { compressed: compressFingerprint(raw), raw, durationMs, algorithm: ALGORITHM, method };
}

/** So many at once; the rest wait in the order they came, or leave. */
function createTurns(limit: number) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    if (running >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next(); // its place is handed on
      else running--;
    }
  };
}
