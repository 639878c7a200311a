// Runs fpcalc and ffmpeg without a shell, with limits on time and output. The demuxer is set explicitly: a program that
// detects the format may take a file for a playlist and open the URLs in it.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { childEnvironment } from '../runtime/child-environment.ts';
import { z } from 'zod';
import { decompressFingerprint } from './fingerprint-code.ts';
import { DEMUXERS, formatFacts } from './audio-formats.ts';

const FPCALC_TIMEOUT_MS = 30_000;
const FFMPEG_TIMEOUT_MS = 60_000;
const MAX_FPCALC_BYTES = 64 << 10;

/** Chromaprint's own sample rate, to which it would resample. */
export const PCM_RATE_HZ = 11_025;

/** Passed instead of a demuxer: ffmpeg then detects the format, among those that open no other file. */
export const ANY_SINGLE_FILE = 'any';

/** Returns the name of a format's demuxer in ffmpeg and fpcalc. */
export const demuxerOf = (format: string): string | undefined => formatFacts(format)?.demuxer;

interface ProgramInput {
  path: string;
  demuxer: string;
  seconds: number;
  startSeconds: number;
  signal: AbortSignal;
}

const FpcalcOut = z.object({ fingerprint: z.string().max(MAX_FPCALC_BYTES) });

/**
 * Runs fpcalc; returns undefined if fpcalc cannot read the file. Its exit code is ignored: it is 3 for files shorter
 * than requested.
 */
export async function runFpcalc(
  program: string,
  { path, demuxer, seconds, signal }: ProgramInput,
): Promise<Uint32Array | undefined> {
  const output = await runProgram(program, ['-json', '-length', String(seconds), '-format', demuxer, resolve(path)], {
    maxBytes: MAX_FPCALC_BYTES,
    limitMs: FPCALC_TIMEOUT_MS,
    signal,
  });
  try {
    const { fingerprint } = FpcalcOut.parse(JSON.parse(output.toString('utf8')));
    return decompressFingerprint(fingerprint);
  } catch {
    return undefined;
  }
}

/** Returns ffmpeg's arguments before the input, which set the format. */
export const inputFormat = (demuxer: string): string[] =>
  demuxer === ANY_SINGLE_FILE ? ['-format_whitelist', DEMUXERS.join(',')] : ['-f', demuxer];

/** Returns mono samples at `PCM_RATE_HZ`; none if ffmpeg cannot read the file. */
export async function runFfmpeg(
  program: string,
  { path, demuxer, seconds, startSeconds, signal }: ProgramInput,
): Promise<Int16Array<ArrayBuffer>> {
  const maxBytes = Math.ceil(seconds * PCM_RATE_HZ) * 2;
  const output = await runProgram(
    program,
    [
      '-nostdin',
      '-v',
      'error',
      '-protocol_whitelist',
      'file,pipe',
      ...inputFormat(demuxer),
      ...(startSeconds > 0 ? ['-ss', String(startSeconds)] : []),
      '-t',
      String(seconds),
      '-i',
      `file:${resolve(path)}`,
      '-map',
      '0:a:0',
      '-ac',
      '1',
      '-ar',
      String(PCM_RATE_HZ),
      '-f',
      's16le',
      'pipe:1',
    ],
    { maxBytes: maxBytes + PCM_RATE_HZ, limitMs: FFMPEG_TIMEOUT_MS, signal },
  );
  const bytes = new ArrayBuffer(Math.min(output.length & ~1, maxBytes));
  output.copy(new Uint8Array(bytes), 0, 0, bytes.byteLength);
  return new Int16Array(bytes);
}

/** Returns the program's output, whatever its exit code. Rejects only with the reason of `signal`. */
function runProgram(
  program: string,
  args: string[],
  { maxBytes, limitMs, signal }: { maxBytes: number; limitMs: number; signal: AbortSignal },
): Promise<Buffer> {
  return new Promise((settle, reject) => {
    execFile(
      program,
      args,
      {
        env: childEnvironment(),
        encoding: 'buffer',
        signal,
        timeout: limitMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxBytes,
        windowsHide: true,
      },
      (_error, stdout) => {
        if (signal.aborted) reject(signal.reason as Error);
        else settle(stdout);
      },
    );
  });
}
