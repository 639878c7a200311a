// The AudioContext and its graph: voices → volume → equalizer → limiter → destination. An effect that is off has no
// node. The context is created on first playback, because browsers require a user gesture.
import type { Equalizer } from './equalizer.ts';
import { volumeFactor } from './gain.ts';
import { getSoundOutput, onSoundOutput, storedEqualizer } from './sound-output.ts';
import type { EffectChain } from './effect-chain.ts';

const VOLUME_SMOOTHING_SECONDS = 0.015;
/** Fade from one setting of the equalizer to the next. */
const CHAIN_CROSSFADE_SECONDS = 0.03;
const SUSPEND_AFTER_MS = 3_000;
/** A context that is allowed to run starts at once; a context that needs a gesture never starts before it. */
const WAKE_PATIENCE_MS = 1_000;

export class Mixer {
  #context: AudioContext | null = null;
  #output: GainNode | null = null;
  #level = 1;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #equalizer: Partial<Equalizer> | null = null;
  #isLimited = false;
  /** Browsers support worklets only over HTTPS and on localhost. */
  #canLimit = globalThis.isSecureContext && typeof AudioWorkletNode === 'function';
  /** The number of the last requested arrangement. */
  #arrangement = 0;
  /** The chain from the volume to the destination; null while they are connected directly. */
  #chain: EffectChain | null = null;
  #deviceId = '';
  #forget: (() => void) | undefined;
  readonly #onLimiterLost: () => void;

  constructor(onLimiterLost: () => void) {
    this.#onLimiterLost = onLimiterLost;
  }

  /**
   * Whether peaks above full scale are limited during playback, so that the gain of tracks need not be lowered for
   * them.
   */
  get hasLimiter(): boolean {
    return this.#isLimited && this.#canLimit;
  }

  /** Opens the context at the sample rate of the first track, so that most libraries are never resampled. */
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
      if (this.hasLimiter) void this.#arrange();
    }
    return { context: this.#context, output: this.#output };
  }

  /** Resolves to false if the browser requires a user gesture first. */
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
    this.#restTimer = setTimeout(() => void this.#context?.suspend(), SUSPEND_AFTER_MS);
  }

  close(): void {
    clearTimeout(this.#restTimer);
    this.#forget?.();
    void this.#context?.close();
    this.#context = this.#output = this.#chain = this.#equalizer = null;
    this.#deviceId = '';
  }

  setVolume(volume: number, muted: boolean): void {
    this.#level = volumeFactor(volume, muted);
    if (this.#context)
      this.#output?.gain.setTargetAtTime(this.#level, this.#context.currentTime, VOLUME_SMOOTHING_SECONDS);
  }

  setLimited(isLimited: boolean): void {
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    void this.#arrange();
  }

  #followOutput(): void {
    const { deviceId } = getSoundOutput();
    if (deviceId !== this.#deviceId) {
      this.#deviceId = deviceId;
      // if the device is gone, the output stays unchanged
      const context: SinkContext | null = this.#context;
      void context?.setSinkId?.(deviceId).catch(() => undefined);
    }
    const equalizer = storedEqualizer();
    if (equalizer === this.#equalizer) return;
    this.#equalizer = equalizer;
    void this.#arrange();
  }

  /** Connects the active effects in front of the destination. */
  async #arrange(): Promise<void> {
    const arrangement = ++this.#arrangement;
    const [context, equalizer, isLimited] = [this.#context, this.#equalizer, this.hasLimiter];
    if (!context) return;
    try {
      const isDirect = equalizer?.isOn !== true && !isLimited;
      // the module is loaded only when an effect is on, since most windows never need it
      const chain = isDirect
        ? null
        : await (await import('./effect-chain.ts')).createEffectChain(context, { equalizer, isLimited });
      if (this.#context === context && this.#arrangement === arrangement) this.#crossfadeTo(chain);
    } catch (error) {
      if (this.#context !== context || this.#arrangement !== arrangement) return; // a newer arrangement was requested
      reportError(error);
      if (!isLimited) return;
      // without a limiter, the gain of tracks is lowered for their peaks
      this.#canLimit = false;
      this.#onLimiterLost();
      void this.#arrange();
    }
  }

  /** Crossfades between two chains, so that no click is heard. */
  #crossfadeTo(next: EffectChain | null): void {
    const [context, output, previous] = [this.#context, this.#output, this.#chain];
    if (!context || !output || (!previous && !next)) return;
    const [now, end] = [context.currentTime, context.currentTime + CHAIN_CROSSFADE_SECONDS];
    const fade = (from: number, to: number): GainNode => {
      const node = new GainNode(context, { gain: from });
      node.gain.setValueAtTime(from, now).linearRampToValueAtTime(to, end);
      node.connect(context.destination);
      return node;
    };
    const [falling, rising] = [fade(1, 0), fade(0, 1)];
    output.disconnect();
    for (const [chain, node] of [
      [next, rising],
      [previous, falling],
    ] as const) {
      chain?.output.disconnect();
      output.connect(chain ? chain.input : node);
      chain?.output.connect(node);
    }
    this.#chain = next;
    setTimeout(() => {
      falling.disconnect();
      previous?.close();
      // the chain changed again: the newer crossfade disconnects it
      if (this.#chain !== next || this.#context !== context) return;
      rising.disconnect();
      output.disconnect();
      output.connect(next ? next.input : context.destination);
      next?.output.disconnect();
      next?.output.connect(context.destination);
    }, CHAIN_CROSSFADE_SECONDS * 2_000);
  }
}

/** `setSinkId` is missing in some browsers. */
type SinkContext = Omit<AudioContext, 'setSinkId'> & { setSinkId?: (id: string) => Promise<void> };
