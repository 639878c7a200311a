// The limiter as a part of the browser's audio thread.
import { Limiter } from './limiter.ts';

/** What the audio thread has in place of a window. */
declare const sampleRate: number;
declare const AudioWorkletProcessor: new () => object;
declare function registerProcessor(name: string, processor: new () => object): void;

const CHANNELS = 2;

class LimiterProcessor extends AudioWorkletProcessor {
  readonly #limiter = new Limiter(sampleRate, CHANNELS);
  #silentFrames = 0;

  /** False when nothing comes and all that came has left; the browser calls again when something comes. */
  process([input = []]: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    this.#limiter.process(input, output);
    this.#silentFrames = input.length > 0 ? 0 : this.#silentFrames + (output[0]?.length ?? 0);
    return this.#silentFrames <= this.#limiter.delay;
  }
}

registerProcessor('limiter', LimiterProcessor);
