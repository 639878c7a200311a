// Analyzes a whole track in a worker thread: decodes it once, by ffmpeg if available and else by Tonearm's own
// decoders, for the fingerprint and all steps of the analysis.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { childEnvironment } from '../runtime/child-environment.ts';
import { createListener, type SoundAnalysis, type Listener, type SoundStep } from '../dsp/listener.ts';
import { lowerPriority } from '../runtime/process-priority.ts';
import { openByteSource } from './byte-source.ts';
import type { Chromaprint } from './chromaprint.ts';
import { canDecode, decodeSamples, interleave, type Samples } from './decode.ts';
import { readAudio } from './read.ts';
import { UnreadableAudio } from './types.ts';

export interface ListenOrder {
  path: string;
  /**
   * ffmpeg; if absent, Tonearm's own decoders are used. `input`: ffmpeg's arguments before the input, which name its
   * format.
   */
  ffmpeg?: { program: string; input: string[] } | undefined;
  /** Limits the analysis to these frames of the decoded audio. */
  section?: { start: number; end: number | null } | undefined;
  steps: readonly SoundStep[];
  wantsFingerprint: boolean;
}

export interface ListenResult {
  heard: SoundAnalysis;
  /** The fingerprint; empty for a track that is too short. */
  fingerprint?: Uint32Array<ArrayBuffer>;
}

interface FingerprintOptions {
  chromaprint: Chromaprint;
  /** The number of seconds at the start of the track that are fingerprinted. */
  seconds: number;
}

/** Analyzes a track; returns undefined without a decoder for the file. Throws UnreadableAudio. */
export async function listen(
  order: ListenOrder,
  fingerprintOptions: FingerprintOptions,
): Promise<ListenResult | undefined> {
  const parts = order.ffmpeg ? samplesOfFfmpeg(order.path, order.ffmpeg) : await samplesOfFile(order.path);
  if (!parts) return undefined;
  let [rateHz, channelCount] = [0, 0];
  let listener: Listener | undefined;
  let print: ReturnType<Chromaprint['start']> | undefined;
  let printFrames = 0;
  try {
    for await (const part of clipToSection(parts, order.section)) {
      const { sampleRateHz, channels, frames } = part;
      if (frames === 0) continue;
      if (!listener) {
        [rateHz, channelCount] = [sampleRateHz, channels.length];
        listener = createListener(sampleRateHz, channels.length, new Set(order.steps));
        if (order.wantsFingerprint) print = fingerprintOptions.chromaprint.start(sampleRateHz, channels.length);
        printFrames = fingerprintOptions.seconds * sampleRateHz;
        // a further stream in the file has another format
      } else if (sampleRateHz !== rateHz || channels.length !== channelCount) break;
      listener.push(channels, frames);
      if (print && printFrames > 0) {
        print.push(interleave({ channels, frames: Math.min(printFrames, frames) }));
        printFrames -= frames;
      }
    }
    if (!listener) throw new UnreadableAudio('there is no audio in it');
    return { heard: listener.finish(), ...(print && { fingerprint: print.finish() }) };
  } finally {
    print?.free();
  }
}

async function* clipToSection(parts: AsyncIterable<Samples>, section: ListenOrder['section']): AsyncGenerator<Samples> {
  const { start, end } = section ?? { start: 0, end: null };
  let offset = 0;
  for await (const part of parts) {
    const from = Math.max(0, start - offset);
    const to = Math.min(part.frames, end === null ? Infinity : end - offset);
    offset += part.frames;
    if (from === 0 && to === part.frames) yield part;
    else if (from < to)
      yield { ...part, channels: part.channels.map((data) => data.subarray(from, to)), frames: to - from };
    if (end !== null && offset >= end) return;
  }
}

async function samplesOfFile(path: string): Promise<AsyncGenerator<Samples> | undefined> {
  const source = openByteSource(path);
  const { facts } = await readAudio(source).catch((error: unknown) => {
    source.close();
    throw error;
  });
  if (!canDecode(facts)) {
    source.close();
    return undefined;
  }
  return withClose(decodeSamples(source, facts), () => source.close());
}

async function* withClose(parts: AsyncGenerator<Samples>, close: () => void): AsyncGenerator<Samples> {
  try {
    yield* parts;
  } finally {
    close();
  }
}

/** The number of frames that are passed on together. */
const PART_FRAMES = 8_192;

async function* samplesOfFfmpeg(
  path: string,
  { program, input }: NonNullable<ListenOrder['ffmpeg']>,
): AsyncGenerator<Samples> {
  const inputArguments = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe', ...input];
  // without these options ffmpeg writes each packet separately (7 KB on average), and reading takes three times the
  // processor time
  const output = [
    '-map',
    '0:a:0',
    '-map_metadata',
    '-1',
    '-c:a',
    'pcm_f32le',
    '-flush_packets',
    '0',
    '-f',
    'wav',
    'pipe:1',
  ];
  const child = spawn(program, [...inputArguments, '-i', `file:${resolve(path)}`, ...output], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: childEnvironment(),
    windowsHide: true,
  });
  const failure = new Promise<Error | undefined>((settle) => {
    child.once('error', settle);
    child.once('close', () => settle(undefined));
  });
  lowerPriority(child.pid);
  try {
    yield* wavFloats(child.stdout);
    const error = await failure;
    if (error) throw error;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Decodes a WAV stream of floats, whose header has rate and channels. */
async function* wavFloats(stream: Readable): AsyncGenerator<Samples> {
  let head: Buffer = Buffer.alloc(0);
  let parts: ReturnType<typeof createParts> | undefined;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let remainder = chunk;
    if (!parts) {
      head = Buffer.concat([head, chunk]);
      const header = wavHeader(head);
      if (!header) continue;
      parts = createParts(header.sampleRateHz, header.channels);
      remainder = head.subarray(header.bytes);
    }
    for (let offset = 0; offset < remainder.length;) {
      offset += parts.fill(remainder, offset);
      if (parts.isFull()) yield parts.take();
    }
  }
  if (parts) yield parts.take();
}

const FMT_CHUNK = Buffer.from('fmt ');
const DATA_CHUNK = Buffer.from('data');

/** Reads the header; returns undefined until the header is complete. */
function wavHeader(head: Buffer): { sampleRateHz: number; channels: number; bytes: number } | undefined {
  const [format, data] = [head.indexOf(FMT_CHUNK), head.indexOf(DATA_CHUNK)];
  if (format < 0 || data < 0 || head.length < data + 8) return undefined;
  return {
    channels: head.readUInt16LE(format + 10),
    sampleRateHz: head.readUInt32LE(format + 12),
    bytes: data + 8,
  };
}

function createParts(sampleRateHz: number, count: number) {
  const bytes = new Uint8Array(PART_FRAMES * count * 4);
  const values = new Float32Array(bytes.buffer);
  const channels = Array.from({ length: count }, () => new Float32Array(PART_FRAMES));
  let filledBytes = 0;
  return {
    /** Copies bytes from the chunk; returns the number of bytes consumed. */
    fill(chunk: Uint8Array, from: number): number {
      const step = Math.min(chunk.length - from, bytes.length - filledBytes);
      bytes.set(chunk.subarray(from, from + step), filledBytes);
      filledBytes += step;
      return step;
    },
    isFull: (): boolean => filledBytes === bytes.length,
    /** Returns the samples, which are valid until the next call. */
    take(): Samples {
      const frames = Math.floor(filledBytes / (4 * count));
      for (let channel = 0; channel < count; channel++) {
        const data = channels[channel] as Float32Array;
        for (let i = 0, index = channel; i < frames; i++, index += count) data[i] = values[index] as number;
      }
      filledBytes = 0;
      return { sampleRateHz, channels, frames };
    },
  };
}
