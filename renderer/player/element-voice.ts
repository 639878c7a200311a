// A track played by a media element: the track can have any length, seeking works anywhere at once, and the pitch is
// kept at any speed. The exact sample of its end is not known. Browsers are seconds off when they seek in a long MP3
// of variable bit rate, so an MP3 is loaded again from the requested position.
import { VoiceOutput, type Voice, type VoiceItem, type VoiceListener } from './voice.ts';

export interface ElementVoiceOptions {
  item: VoiceItem;
  /** Returns the address of the audio from a time on. */
  src: (startMs: number) => string;
  /** True if the audio is loaded again for every seek; false if it is always loaded from its start. */
  loadsFromSeek: boolean;
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
  readonly #src: (startMs: number) => string;
  readonly #loadsFromSeek: boolean;
  /** The position in the track at the element's time 0. */
  #startMs = 0;
  #seekOnceLoaded: number | null = null;
  #isWanted = false;
  #speed: number;

  constructor({ item, src, loadsFromSeek, positionMs, speed, context, output, listener }: ElementVoiceOptions) {
    this.item = item;
    this.#context = context;
    this.#output = new VoiceOutput(context, output);
    this.#src = src;
    this.#loadsFromSeek = loadsFromSeek;
    this.#speed = speed;
    const { signal } = this.#closing;
    this.#audio.addEventListener(
      'loadedmetadata',
      () => {
        this.#audio.playbackRate = this.#speed; // loading resets the speed
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
    this.#load(loadsFromSeek ? positionMs : 0);
    if (!loadsFromSeek && positionMs > 0) this.#seekOnceLoaded = positionMs;
    context.createMediaElementSource(this.#audio).connect(this.#output.input);
  }

  tick(): void {} // the browser buffers by itself

  #load(startMs: number): void {
    this.#startMs = startMs;
    this.#audio.src = this.#src(startMs);
  }

  play(): void {
    this.#isWanted = true;
    // `play()` rejects without a user gesture, which the mixer reports; after a pause; or before an error event.
    this.#audio.play().catch(() => undefined);
  }

  pause(): void {
    this.#isWanted = false;
    this.#audio.pause();
  }

  seek(positionMs: number): void {
    this.#output.resetFade();
    if (this.#loadsFromSeek) {
      this.#load(positionMs);
      if (this.#isWanted) this.play();
    } else if (this.#audio.readyState === HTMLMediaElement.HAVE_NOTHING) this.#seekOnceLoaded = positionMs;
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
    return this.#seekOnceLoaded ?? this.#startMs + this.#audio.currentTime * 1000;
  }

  get durationMs(): number | null {
    // the duration of audio loaded from a later position is only estimated
    if (this.#startMs > 0) return this.item.track.duration_ms;
    return Number.isFinite(this.#audio.duration) ? this.#audio.duration * 1000 : null;
  }

  get bufferedMs(): number {
    const { buffered, currentTime } = this.#audio;
    for (let i = 0; i < buffered.length; i += 1) {
      if (buffered.start(i) <= currentTime + 0.25 && buffered.end(i) >= currentTime)
        return this.#startMs + buffered.end(i) * 1000;
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
