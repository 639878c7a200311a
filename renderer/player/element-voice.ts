// A track played by a media element: any length, seeks anywhere at once, keeps its pitch at any speed. Where it ends is
// not known to the sample.
import { VoiceOutput, type Voice, type VoiceItem, type VoiceListener } from './voice.ts';

interface ElementVoiceOptions {
  item: VoiceItem;
  src: string;
  positionMs: number;
  speed: number;
  context: AudioContext;
  output: AudioNode;
  listener: VoiceListener;
}

export class ElementVoice implements Voice {
  readonly item: VoiceItem;
  readonly #audio = new Audio();
  readonly #context: AudioContext;
  readonly #output: VoiceOutput;
  readonly #closing = new AbortController();
  #seekOnceLoaded: number | null;
  #speed: number;

  constructor({ item, src, positionMs, speed, context, output, listener }: ElementVoiceOptions) {
    this.item = item;
    this.#context = context;
    this.#output = new VoiceOutput(context, output);
    this.#seekOnceLoaded = positionMs > 0 ? positionMs : null;
    this.#speed = speed;
    const { signal } = this.#closing;
    this.#audio.addEventListener(
      'loadedmetadata',
      () => {
        this.#audio.playbackRate = this.#speed; // loading resets it
        if (this.#seekOnceLoaded !== null) this.#audio.currentTime = this.#seekOnceLoaded / 1000;
        this.#seekOnceLoaded = null;
      },
      { signal },
    );
    this.#audio.addEventListener('ended', () => listener.onEnded(this), { signal });
    this.#audio.addEventListener(
      'error',
      () => {
        const isCut = this.#audio.error?.code === MediaError.MEDIA_ERR_NETWORK;
        return isCut ? listener.onCut(this) : listener.onFailed(this);
      },
      { signal },
    );
    this.#audio.preload = 'auto';
    this.#audio.src = src;
    context.createMediaElementSource(this.#audio).connect(this.#output.input);
  }

  tick(): void {} // the browser buffers by itself

  play(): void {
    // Rejected without a user gesture, which the mixer reports; aborted by a pause; or followed by the error event.
    this.#audio.play().catch(() => undefined);
  }

  pause(): void {
    this.#audio.pause();
  }

  seek(positionMs: number): void {
    this.#output.resetFade();
    if (this.#audio.readyState === HTMLMediaElement.HAVE_NOTHING) this.#seekOnceLoaded = positionMs;
    else this.#audio.currentTime = positionMs / 1000;
  }

  setLevel(factor: number): void {
    this.#output.setLevel(factor);
  }

  setSpeed(speed: number): void {
    this.#speed = speed;
    this.#audio.playbackRate = speed;
  }

  fade(curve: Float32Array, atSeconds: number, seconds: number): void {
    this.#output.fade(curve, Math.max(atSeconds, this.#context.currentTime), seconds);
  }

  resetFade(): void {
    this.#output.resetFade();
  }

  close(): void {
    this.#closing.abort();
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    this.#audio.load();
    this.#output.close();
  }

  get positionMs(): number {
    return this.#seekOnceLoaded ?? this.#audio.currentTime * 1000;
  }

  get durationMs(): number | null {
    return Number.isFinite(this.#audio.duration) ? this.#audio.duration * 1000 : null;
  }

  get bufferedMs(): number {
    const { buffered, currentTime } = this.#audio;
    for (let i = 0; i < buffered.length; i += 1) {
      if (buffered.start(i) <= currentTime + 0.25 && buffered.end(i) >= currentTime) return buffered.end(i) * 1000;
    }
    return 0;
  }

  get isStalled(): boolean {
    return this.#audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
  }

  get isComplete(): boolean {
    return this.durationMs !== null && this.bufferedMs >= this.durationMs - 500;
  }
}
