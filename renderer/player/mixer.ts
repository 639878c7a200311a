// The AudioContext and its graph: voices → volume → destination, with the equalizer before the destination while it is
// on; off, there is no node for it. Created on first playback, because browsers require a
// user gesture.
import type { createFilters, Equalizer } from './equalizer.ts';
import { volumeFactor } from './gain.ts';
import { getSoundOutput, onSoundOutput, storedEqualizer } from './sound-output.ts';

const SMOOTH_SECONDS = 0.015;
/** From one setting of the equalizer to the next. */
const CHANGE_SECONDS = 0.03;
const REST_AFTER_MS = 3_000;
/** A context that may run does so at once; one that needs a gesture does not run at all. */
const WAKE_PATIENCE_MS = 1_000;

export class Mixer {
  #context: AudioContext | null = null;
  #output: GainNode | null = null;
  #level = 1;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #equalizer: Partial<Equalizer> | null = null;
  /** From the volume to the destination; null is the direct way. */
  #filters: Filters | null = null;
  #deviceId = '';
  #forget: (() => void) | undefined;

  /** Created at the sample rate of the first track, so most libraries are never resampled. */
  open(sampleRateHz: number | null = null): { context: AudioContext; output: GainNode } {
    if (!this.#context || !this.#output) {
      this.#context = new AudioContext({
        latencyHint: 'playback',
        sampleRate: sampleRateHz !== null && sampleRateHz % 44_100 === 0 ? 44_100 : 48_000,
      });
      this.#output = new GainNode(this.#context, { gain: this.#level });
      this.#output.connect(this.#context.destination);
      this.#forget = onSoundOutput(() => this.#followOutput());
      this.#followOutput();
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
    this.#forget?.();
    void this.#context?.close();
    this.#context = this.#output = this.#filters = this.#equalizer = null;
    this.#deviceId = '';
  }

  setVolume(volume: number, muted: boolean): void {
    this.#level = volumeFactor(volume, muted);
    if (this.#context) this.#output?.gain.setTargetAtTime(this.#level, this.#context.currentTime, SMOOTH_SECONDS);
  }

  #followOutput(): void {
    const { deviceId } = getSoundOutput();
    if (deviceId !== this.#deviceId) {
      this.#deviceId = deviceId;
      // a device that is gone: the sound stays where it is
      const context: SinkContext | null = this.#context;
      void context?.setSinkId?.(deviceId).catch(() => undefined);
    }
    const equalizer = storedEqualizer();
    if (equalizer === this.#equalizer) return;
    this.#equalizer = equalizer;
    if (equalizer?.isOn !== true) return this.#shape(null);
    // most windows never need it
    void import('./equalizer.ts').then(({ checked, createFilters, effective }) => {
      const [context, settings] = [this.#context, checked(equalizer)];
      if (!context || this.#equalizer !== equalizer) return; // changed since
      const isNeeded = settings.preampDb < 0 || effective(settings.bands).length > 0;
      this.#shape(isNeeded ? createFilters(context, settings) : null);
    });
  }

  /** Fades from the filters that are there to these, so that a change is not heard as a click. */
  #shape(filters: Filters | null): void {
    const [context, output, before] = [this.#context, this.#output, this.#filters];
    if (!context || !output || (!before && !filters)) return;
    const [now, end] = [context.currentTime, context.currentTime + CHANGE_SECONDS];
    const fade = (from: number, to: number): GainNode => {
      const node = new GainNode(context, { gain: from });
      node.gain.setValueAtTime(from, now).linearRampToValueAtTime(to, end);
      node.connect(context.destination);
      return node;
    };
    const [rising, falling] = [fade(0, 1), fade(1, 0)];
    output.disconnect();
    for (const [way, node] of [
      [filters, rising],
      [before, falling],
    ] as const) {
      way?.output.disconnect();
      output.connect(way ? way.input : node);
      way?.output.connect(node);
    }
    this.#filters = filters;
    setTimeout(() => {
      falling.disconnect();
      before?.close();
      if (this.#filters !== filters || this.#context !== context) return; // changed again: that one ends it
      rising.disconnect();
      output.disconnect();
      output.connect(filters ? filters.input : context.destination);
      filters?.output.disconnect();
      filters?.output.connect(context.destination);
    }, CHANGE_SECONDS * 2_000);
  }
}

type Filters = ReturnType<typeof createFilters>;
/** Not in all browsers. */
type SinkContext = Omit<AudioContext, 'setSinkId'> & { setSinkId?: (id: string) => Promise<void> };
