// The AudioContext and its graph: voices → volume → destination. Created on first playback, because browsers require a
// user gesture.
import { volumeFactor } from './gain.ts';

const SMOOTH_SECONDS = 0.015;
const REST_AFTER_MS = 3_000;
/** A context that may run does so at once; one that needs a gesture does not run at all. */
const WAKE_PATIENCE_MS = 1_000;

export class Mixer {
  #context: AudioContext | null = null;
  #output: GainNode | null = null;
  #level = 1;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  /** Created at the sample rate of the first track, so most libraries are never resampled. */
  open(sampleRateHz: number | null = null): { context: AudioContext; output: GainNode } {
    if (!this.#context || !this.#output) {
      this.#context = new AudioContext({
        latencyHint: 'playback',
        sampleRate: sampleRateHz !== null && sampleRateHz % 44_100 === 0 ? 44_100 : 48_000,
      });
      this.#output = new GainNode(this.#context, { gain: this.#level });
      this.#output.connect(this.#context.destination);
    }
    return { context: this.#context, output: this.#output };
  }

  /** False when the browser requires a user gesture first. */
  async wake(): Promise<boolean> {
    clearTimeout(this.#restTimer);
    const { context } = this.open();
    if (context.state === 'running') return true;
    await Promise.race([
      context.resume().catch(() => undefined),
      new Promise((resolve) => {
        setTimeout(resolve, WAKE_PATIENCE_MS);
      }),
    ]);
    return (context.state as AudioContextState) === 'running';
  }

  /** Suspends the audio thread while nothing plays. */
  rest(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => void this.#context?.suspend(), REST_AFTER_MS);
  }

  close(): void {
    clearTimeout(this.#restTimer);
    void this.#context?.close();
    this.#context = this.#output = null;
  }

  setVolume(volume: number, muted: boolean): void {
    this.#level = volumeFactor(volume, muted);
    if (this.#context) this.#output?.gain.setTargetAtTime(this.#level, this.#context.currentTime, SMOOTH_SECONDS);
  }
}
