// Runs the limiter in the browser's audio thread.
import { Limiter } from './limiter.ts';

/** Globals of the audio thread. */
declare const sampleRate: number;
declare const AudioWorkletProcessor: new () => { port: MessagePort };
declare function registerProcessor(name: string, processor: new () => object): void;

const CHANNELS = 2;

class LimiterProcessor extends AudioWorkletProcessor {
  readonly #limiter = new Limiter(sampleRate, CHANNELS);
  #isClosed = false;

  constructor() {
    super();
    this.port.addEventListener('message', () => {
      this.#isClosed = true;
    });
    this.port.start();
  }

  /**
   * Returns true until the chain is closed, also while nothing plays. Chromium never calls a processor again that has
   * returned false, so everything after a pause would be silent.
   */
  process([input = []]: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    this.#limiter.process(input, output);
    return !this.#isClosed;
  }
}

registerProcessor('limiter', LimiterProcessor);
