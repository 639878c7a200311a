// Loads Chromaprint compiled to WebAssembly. The package is made for browsers, so it needs a `window` while loading,
// and this module reads the WebAssembly file for it.
import { readFileSync } from 'node:fs';
import loadModule from '@unimusic/chromaprint/dist/chromaprint.js';
import { ALGORITHM } from './fingerprint-code.ts';

/** Maximum number of samples per call; longer input is passed in parts. */
const MAX_FEED_SAMPLES = 1 << 16;

export type Chromaprint = Awaited<ReturnType<typeof loadChromaprint>>;

export async function loadChromaprint(wasmPath: string) {
  const wasm = await instantiate(readFileSync(wasmPath));
  const buffer = wasm._malloc(MAX_FEED_SAMPLES * 2);
  const [pointerAt, sizeAt] = [wasm._malloc(4), wasm._malloc(4)];
  const assertDone = (isDone: number, action: string): void => {
    if (!isDone) throw new Error(`Chromaprint could not ${action}`);
  };

  function readRaw(context: number): Uint32Array<ArrayBuffer> {
    assertDone(wasm._chromaprint_get_raw_fingerprint(context, pointerAt, sizeAt), 'give the fingerprint');
    const words = wasm.HEAP32 as Int32Array;
    const [pointer, size] = [words[pointerAt / 4] as number, words[sizeAt / 4] as number];
    const raw = Uint32Array.from(words.subarray(pointer / 4, pointer / 4 + size), (word) => word >>> 0);
    if (pointer !== 0) wasm._free(pointer);
    return raw;
  }

  return {
    /**
     * Starts to fingerprint interleaved samples that are passed part by part. `finish` returns the fingerprint, which
     * is empty for less than about 3 s. `free` has to be called in any case.
     */
    start(sampleRateHz: number, channels: number) {
      const context = wasm._chromaprint_new(ALGORITHM);
      assertDone(wasm._chromaprint_start(context, sampleRateHz, channels), 'start');
      return {
        push(samples: Int16Array): void {
          for (let offset = 0; offset < samples.length; offset += MAX_FEED_SAMPLES) {
            const chunk = samples.subarray(offset, offset + MAX_FEED_SAMPLES);
            // HEAP16 is looked up each time, because it is replaced when the memory grows
            (wasm.HEAP16 as Int16Array).set(chunk, buffer / 2);
            assertDone(wasm._chromaprint_feed(context, buffer, chunk.length), 'take the samples');
          }
        },
        finish(): Uint32Array<ArrayBuffer> {
          assertDone(wasm._chromaprint_finish(context), 'finish');
          return readRaw(context);
        },
        free: (): void => wasm._chromaprint_free(context),
      };
    },
  };
}

async function instantiate(wasmBinary: Buffer) {
  const globals = globalThis as { window?: unknown };
  globals.window = {};
  try {
    return await loadModule({ wasmBinary });
  } finally {
    delete globals.window; // other packages would take `window` as a sign of a browser
  }
}
