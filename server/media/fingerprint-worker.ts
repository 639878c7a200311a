// The thread that fingerprints without fpcalc, from samples of ffmpeg or by decoding the file itself.
import { parentPort, workerData } from 'node:worker_threads';
import { END } from '../runtime/stop-worker.ts';
import { openByteSource } from './byte-source.ts';
import { loadChromaprint } from './chromaprint.ts';
import { canDecode, decodeSamples, type Samples } from './decode.ts';
import { readAudio } from './read.ts';
import { UnreadableAudio } from './types.ts';

export interface FingerprintWorkerData {
  /** Chromaprint's WebAssembly file. */
  wasmPath: string;
  /** Length of the start that is fingerprinted. */
  seconds: number;
}

export type FingerprintRequest =
  | { kind: 'samples'; samples: Int16Array<ArrayBuffer>; sampleRateHz: number; channels: number }
  | { kind: 'file'; path: string };

/**
 * `raw` is empty for too short a file. `unsupported`: no decoder for this codec. `reason`: what is wrong with the file.
 */
export type FingerprintResponse = { raw: Uint32Array<ArrayBuffer> } | { unsupported: true } | { reason: string };

const port = parentPort;
if (!port) throw new Error('fingerprint-worker runs as a worker thread');
const { wasmPath, seconds } = workerData as FingerprintWorkerData;
const chromaprint = loadChromaprint(wasmPath);

port.on('message', (request: FingerprintRequest | typeof END) => {
  if (request === END) port.close();
  else void respond(request);
});

async function respond(request: FingerprintRequest): Promise<void> {
  const response = await answer(request).catch((error: unknown) => ({ reason: reasonOf(error) }));
  port?.postMessage(response, 'raw' in response ? [response.raw.buffer] : []);
}

async function answer(request: FingerprintRequest): Promise<FingerprintResponse> {
  if (request.kind === 'file') return ofFile(request.path);
  const { samples, sampleRateHz, channels } = request;
  return { raw: await (await chromaprint).fingerprint(sampleRateHz, channels, [samples]) };
}

async function ofFile(path: string): Promise<FingerprintResponse> {
  const source = openByteSource(path);
  try {
    const { facts } = await readAudio(source);
    if (!canDecode(facts)) return { unsupported: true };
    const parts = decodeSamples(source, facts);
    const first = await parts.next();
    if (first.done) return { raw: new Uint32Array() };
    const { sampleRateHz, channels } = first.value;
    return { raw: await (await chromaprint).fingerprint(sampleRateHz, channels, beginning(first.value, parts)) };
  } finally {
    source.close();
  }
}

/** Samples up to the time limit, or up to a change of the sample format. */
async function* beginning(first: Samples, rest: AsyncGenerator<Samples>): AsyncGenerator<Int16Array> {
  const { sampleRateHz, channels } = first;
  let left = seconds * sampleRateHz * channels;
  let part: Samples | undefined = first;
  while (part && part.sampleRateHz === sampleRateHz && part.channels === channels) {
    yield part.samples.subarray(0, left);
    left -= part.samples.length;
    part = left > 0 ? ((await rest.next()).value as Samples | undefined) : undefined;
  }
  await rest.return(undefined); // frees the decoder's memory
}

/** A message without paths. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableAudio) return error.message;
  return error instanceof Error && 'code' in error
    ? `the file could not be read (${String(error.code)})`
    : 'the decoder failed';
}
