// Records the player's output, block by block, with an AudioWorklet. Blocks are joined in the order in which they are
// rendered: on a busy machine Chromium gives several of them the same `currentFrame`, although none is missing.
import type { Page } from 'playwright-core';

/** Number of frames that an AudioWorklet receives at a time. */
const BLOCK_FRAMES = 128;

const TAP_PROCESSOR = `registerProcessor('tap', class extends AudioWorkletProcessor {
  process([input]) {
    const samples = input[0];
    this.port.postMessage(samples ? samples.slice() : null);
    return true;
  }
});`;

interface Recorded {
  recording: { rate: number; blocks: (Float32Array | null)[] };
}

/**
 * Records the output. Must be called before the page is opened, with `bypassCSP`, because modules of a worklet can only
 * be passed as a blob.
 */
export async function recordOutput(page: Page): Promise<void> {
  await page.addInitScript((source) => {
    const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode, ...rest: number[]) => AudioNode;
    AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode, ...rest: number[]) {
      if (to instanceof AudioDestinationNode) void tap(this);
      return connect.call(this, to, ...rest);
    } as typeof AudioNode.prototype.connect;

    async function tap(node: AudioNode): Promise<void> {
      const { context } = node;
      const recording: Recorded['recording'] = { rate: context.sampleRate, blocks: [] };
      Object.assign(globalThis, { recording });
      await context.audioWorklet.addModule(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
      const worklet = new AudioWorkletNode(context, 'tap', { numberOfOutputs: 0 });
      worklet.port.addEventListener('message', ({ data }) =>
        recording.blocks.push(data as Recorded['recording']['blocks'][number]),
      );
      worklet.port.start();
      connect.call(node, worklet);
    }
  }, TAP_PROCESSOR);
}

/**
 * Stops the audio clock while the next track is downloaded and decoded, so that a busy machine is not late. Must be
 * called before the page is opened.
 */
export async function holdClockForNextTrack(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let playingContext: BaseAudioContext | undefined;
    const { start } = AudioBufferSourceNode.prototype;
    AudioBufferSourceNode.prototype.start = function (this: AudioBufferSourceNode, ...times: number[]) {
      start.apply(this, times as [number]);
      playingContext = this.context;
      void (playingContext as AudioContext).resume();
    };
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) => {
      if (typeof input === 'string' && input.includes('/stream/'))
        void (playingContext as AudioContext | undefined)?.suspend();
      return fetch(input, init);
    };
  });
}

/** Records how long other work of the machine delays the page. */
export async function watchHoldUps(page: Page): Promise<void> {
  await page.evaluate(() => {
    let previousMs = performance.now();
    const watch = { longestMs: 0 };
    Object.assign(globalThis, { holdUps: watch });
    setInterval(() => {
      watch.longestMs = Math.max(watch.longestMs, performance.now() - previousMs);
      previousMs = performance.now();
    }, 50);
  });
}

/** Returns the longest pause of the page, in milliseconds. */
export const longestHoldUp = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { holdUps: { longestMs: number } }).holdUps.longestMs);

/**
 * Returns the length of the recorded sound. Silence does not count: on a busy machine the output is open long before the
 * track is heard. It is shorter than the track there, because the worklet is loaded later.
 */
export const recordedSeconds = (page: Page): Promise<number> =>
  page.evaluate((blockFrames) => {
    const { recording } = globalThis as unknown as Partial<Recorded>;
    const blocks = recording?.blocks.filter((block) => block?.some((sample) => sample !== 0)) ?? [];
    return (blocks.length * blockFrames) / (recording?.rate ?? 1);
  }, BLOCK_FRAMES);

/** Returns everything recorded so far, the first channel only. */
export async function takeRecording(page: Page): Promise<{ samples: Float32Array; rate: number }> {
  const { rate, base64 } = await page.evaluate((blockFrames) => {
    const { recording } = globalThis as unknown as Recorded;
    const samples = new Float32Array(recording.blocks.length * blockFrames);
    recording.blocks.forEach((block, i) => block && samples.set(block, i * blockFrames));
    const bytes = new Uint8Array(samples.buffer);
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return { rate: recording.rate, base64: btoa(text) };
  }, BLOCK_FRAMES);
  const bytes = Buffer.from(base64, 'base64');
  return { rate, samples: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)) };
}
