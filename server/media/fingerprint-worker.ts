// The thread that decodes: for fingerprints without fpcalc, from ffmpeg's samples or with Tonearm's own decoders, and
// for the analysis of whole tracks.
import { workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../runtime/process-priority.ts';
import { answerQuestions } from '../runtime/answer-questions.ts';
import { openByteSource } from './byte-source.ts';
import { loadChromaprint } from './chromaprint.ts';
import { canDecode, decodeSamples, interleave } from './decode.ts';
import { listen, type ListenOrder, type ListenResult } from './listen.ts';
import { readAudio } from './read.ts';
import { UnreadableAudio } from './types.ts';

export interface FingerprintWorkerData {
  /** Path of Chromaprint's WebAssembly file. */
  wasmPath: string;
  /** The number of seconds at the start of the file that are fingerprinted. */
  seconds: number;
}

export type FingerprintRequest =
  | { kind: 'samples'; samples: Int16Array<ArrayBuffer>; sampleRateHz: number; channels: number }
  | { kind: 'file'; path: string }
  | ({ kind: 'listen' } & ListenOrder);

/**
 * `raw` is the fingerprint, empty for too short a file. `unsupported`: no decoder for this codec. `reason`: what is
 * wrong with the file; with `isSlow`, the machine may be the cause instead.
 */
export type FingerprintResponse =
  | { raw: Uint32Array<ArrayBuffer> }
  | { heard: ListenResult }
  | { unsupported: true }
  | { reason: string; isSlow?: true };

const { wasmPath, seconds } = workerData as FingerprintWorkerData;
const chromaprint = loadChromaprint(wasmPath);

answerQuestions<FingerprintRequest, FingerprintResponse>(
  (request) => answer(request).catch((error: unknown) => ({ reason: reasonOf(error) })),
  { transfer: (response) => ('raw' in response ? [response.raw.buffer] : []) },
);

async function answer(request: FingerprintRequest): Promise<FingerprintResponse> {
  if (request.kind === 'file') return fingerprintFile(request.path);
  if (request.kind === 'listen') {
    lowerThreadPriority();
    const result = await listen(request, { chromaprint: await chromaprint, seconds });
    return result ? { heard: result } : { unsupported: true };
  }
  const { samples, sampleRateHz, channels } = request;
  const print = (await chromaprint).start(sampleRateHz, channels);
  try {
    print.push(samples);
    return { raw: print.finish() };
  } finally {
    print.free();
  }
}

/** Fingerprints samples up to the time limit, or up to a change of the sample format. */
async function fingerprintFile(path: string): Promise<FingerprintResponse> {
  const source = openByteSource(path);
  let print: ReturnType<Awaited<typeof chromaprint>['start']> | undefined;
  try {
    const { facts } = await readAudio(source);
    if (!canDecode(facts)) return { unsupported: true };
    let [rateHz, channels, remainingFrames] = [0, 0, 0];
    for await (const part of decodeSamples(source, facts)) {
      if (!print) {
        [rateHz, channels, remainingFrames] = [part.sampleRateHz, part.channels.length, seconds * part.sampleRateHz];
        print = (await chromaprint).start(rateHz, channels);
      } else if (part.sampleRateHz !== rateHz || part.channels.length !== channels) break;
      const frames = Math.min(remainingFrames, part.frames);
      print.push(interleave({ channels: part.channels, frames }));
      remainingFrames -= frames;
      if (remainingFrames <= 0) break;
    }
    return { raw: print?.finish() ?? new Uint32Array() };
  } finally {
    print?.free();
    source.close();
  }
}

/** Returns a message that contains no paths. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableAudio) return error.message;
  return error instanceof Error && 'code' in error
    ? `the file could not be read (${String(error.code)})`
    : 'the decoder failed';
}
