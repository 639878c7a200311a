// The one audio clock and what everything runs through: voices → volume → the loudspeaker. Made when something is first
// to sound, because a browser wants a gesture before.
import { volumeFactor } from './loudness.ts';

const SMOOTH_SECONDS = 0.015;
const REST_AFTER_MS = 3_000;
/** A context that may run does so at once; one that has to wait for a gesture does not run at all. */
const WAKE_PATIENCE_MS = 1_000;

export class Mixer {
  #context: AudioContext | null = null;
  #output: GainNode | null = null;
  #level = 1;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  /** With the rate of the first track most libraries are never resampled before they are joined. */
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

  /** False when the browser wants a gesture first. */
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

  /** Nothing is to sound for now: the audio thread need not run. */
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
