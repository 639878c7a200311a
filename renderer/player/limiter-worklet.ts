// Runs the limiter in the browser's audio thread.
import { Limiter } from './limiter.ts';

/** Globals of the audio thread. */
declare const sampleRate: number;
declare const AudioWorkletProcessor: new () => object;
declare function registerProcessor(name: string, processor: new () => object): void;

const CHANNELS = 2;

class LimiterProcessor extends AudioWorkletProcessor {
  readonly #limiter = new Limiter(sampleRate, CHANNELS);
  #silentFrames = 0;

  /** Returns false when there is no input and all delayed sound was output; the browser calls again on new input. */
  process([input = []]: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    this.#limiter.process(input, output);
    this.#silentFrames = input.length > 0 ? 0 : this.#silentFrames + (output[0]?.length ?? 0);
    return this.#silentFrames <= this.#limiter.delay;
  }
}

registerProcessor('limiter', LimiterProcessor);
