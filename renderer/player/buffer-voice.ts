// A track decoded into audio buffers: it starts and ends on frames known in advance, so that the next one can start on
// the very next frame.
import { SoundSource } from './sound-source.ts';
import { endFrame, heardFrame, soonestFrame, spliceFrame, type Anchor } from './timeline.ts';
import { VoiceOutput, type Voice, type VoiceItem, type VoiceListener } from './voice.ts';

/** How long to wait for the first sound; after that a media element, which can start anywhere, takes over. */
const MAX_START_MS = 2_000;
/** The next piece is decoded when less than this is left to play. */
const MIN_DECODED_SECONDS = 10;
/** A scheduled stop cannot be cancelled, only moved this far into the future. */
const NEVER_SECONDS = 1e9;

interface ClockVoiceOptions {
  item: VoiceItem;
  stream: (signal: AbortSignal) => Promise<Response>;
  positionMs: number;
  context: AudioContext;
  output: AudioNode;
  listener: VoiceListener;
}

export class BufferVoice implements Voice {
  readonly item: VoiceItem;
  readonly #context: AudioContext;
  readonly #output: VoiceOutput;
  readonly #listener: VoiceListener;
  readonly #source: SoundSource;
  #buffer: AudioBuffer | null = null;
  #whole = false;
  /** Whether the download broke off, so that no more audio arrives. */
  #isCut = false;
  #wanted = false;
  /**
   * The playing sources and their place on the clock; null while silent. Each source ends where the next source
   * begins.
   */
  #sounding: { sources: AudioBufferSourceNode[]; anchor: Anchor } | null = null;
  /** Whether the last source plays in place of the track's end. */
  #hasTail = false;
  /** The position to resume from, while silent. */
  #offset: number;
  #received = 0;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor({ item, stream, positionMs, context, output, listener }: ClockVoiceOptions) {
    this.item = item;
    this.#context = context;
    this.#listener = listener;
    this.#output = new VoiceOutput(context, output);
    this.#offset = this.#frames(positionMs);
    this.#source = new SoundSource({
      stream,
      bitrateKbps: item.track.bitrate_kbps,
      decoder: context,
      listener: {
        onPiece: (buffer, isWhole) => this.#grow(buffer, isWhole),
        onProgress: (fraction) => {
          this.#received = fraction;
        },
        // A media element may still play audio that cannot be decoded here, or it reports the error; a refusal is
        // final. Audio that arrived before the network failed still plays.
        onFailed: (status) => {
          if (status === 'undecodable') return listener.onStarved(this);
          if (status !== 0) return listener.onFailed(this);
          this.#isCut = true;
          return this.#sounding ? undefined : listener.onCut(this);
        },
      },
    });
  }

  play(): void {
    this.playAt(soonestFrame(this.#context.currentTime, this.#context.sampleRate));
  }

  /** Starts on this frame of the clock, if there is decoded sound. */
  playAt(frame: number): void {
    if (this.#sounding) return;
    this.#wanted = true;
    if (!this.#buffer || (this.#offset >= this.#buffer.length && !this.#whole)) return this.#wait();
    this.#begin({ start: frame, offset: Math.min(this.#offset, this.#buffer.length - 1) });
  }

  tick(): void {
    if (!this.#sounding || this.#whole) return;
    const remainingFrames =
      endFrame(this.#sounding.anchor, this.length) - this.#context.currentTime * this.#context.sampleRate;
    if (remainingFrames < MIN_DECODED_SECONDS * this.#context.sampleRate) this.#source.more();
  }

  pause(): void {
    this.#wanted = false;
    this.#stopWaiting();
    this.#silence();
    this.resetFade();
  }

  seek(positionMs: number): void {
    const wasWanted = this.#wanted;
    this.pause();
    this.#offset = this.#frames(positionMs);
    if (wasWanted) this.play();
  }

  setLevel(factor: number): void {
    this.#output.setLevel(factor);
  }

  /** Does nothing: the audio clock has only one speed; other speeds need a media element. */
  setSpeed(): void {}

  fade(curve: Float32Array, atSeconds: number, seconds: number): void {
    this.#output.fade(curve, atSeconds, seconds);
  }

  resetFade(): void {
    if (this.#hasTail && this.#sounding) {
      const { sources, anchor } = this.#sounding;
      const tail = sources.at(-1);
      tail?.stop();
      tail?.disconnect();
      sources.at(-2)?.stop(NEVER_SECONDS);
      this.#sounding = { sources: sources.slice(0, -1), anchor };
    }
    this.#hasTail = false;
    this.#output.resetFade();
  }

  /** Plays `sound` in place of the rest of the track, from this frame of the clock on. */
  endWith(sound: readonly Float32Array<ArrayBuffer>[], frame: number): void {
    const length = sound[0]?.length ?? 0;
    if (!this.#sounding || length === 0) return;
    const { sampleRate } = this.#context;
    const buffer = new AudioBuffer({ length, numberOfChannels: sound.length, sampleRate });
    sound.forEach((channel, i) => buffer.copyToChannel(channel, i));
    const tail = new AudioBufferSourceNode(this.#context, { buffer });
    tail.connect(this.#output.input);
    tail.addEventListener('ended', () => {
      if (this.#sounding?.sources.at(-1) === tail) this.#onSourceEnded();
    });
    tail.start(frame / sampleRate);
    const { sources, anchor } = this.#sounding;
    sources.at(-1)?.stop(frame / sampleRate);
    this.#sounding = { sources: [...sources, tail], anchor };
    this.#hasTail = true;
  }

  close(): void {
    this.pause();
    this.#source.stop();
    this.#output.close();
    this.#buffer = null;
  }

  /** Decodes more of the track while the voice is silent. */
  supply(): void {
    if (!this.#whole) this.#source.more();
  }

  /** The frame after the last one; null while unknown or silent. */
  get endFrame(): number | null {
    return this.#sounding && this.#whole && this.#buffer ? endFrame(this.#sounding.anchor, this.#buffer.length) : null;
  }

  /** The frame of the clock on which this position is heard; null while silent. */
  frameAt(positionMs: number): number | null {
    return this.#sounding && this.#sounding.anchor.start + this.#frames(positionMs) - this.#sounding.anchor.offset;
  }

  /** Returns the samples of a part of the track, as far as they are decoded. */
  samples(fromMs: number, ms: number): Float32Array[] {
    const [from, to] = [this.#frames(fromMs), this.#frames(fromMs + ms)];
    const buffer = this.#buffer;
    return Array.from({ length: buffer?.numberOfChannels ?? 0 }, (_, i) =>
      buffer!.getChannelData(i).subarray(from, to),
    );
  }

  /** Frames decoded so far. */
  get length(): number {
    return this.#buffer?.length ?? 0;
  }

  get positionMs(): number {
    const frame = this.#sounding
      ? heardFrame(this.#sounding.anchor, this.#context.currentTime * this.#context.sampleRate)
      : this.#offset;
    return (Math.min(frame, this.#whole ? this.length : Infinity) / this.#context.sampleRate) * 1000;
  }

  get durationMs(): number | null {
    return this.#whole ? (this.length / this.#context.sampleRate) * 1000 : null;
  }

  get bufferedMs(): number {
    const decoded = (this.length / this.#context.sampleRate) * 1000;
    return Math.max(decoded, this.#received * (this.item.track.duration_ms ?? 0));
  }

  get isStalled(): boolean {
    return this.#wanted && !this.#sounding;
  }

  get isComplete(): boolean {
    return this.#whole;
  }

  #frames(ms: number): number {
    return Math.round((ms / 1000) * this.#context.sampleRate);
  }

  /** Starts a source on frame `at` of the clock; the sources in `before` play until then. */
  #begin(anchor: Anchor, startFrame = anchor.start, previousSources: AudioBufferSourceNode[] = []): void {
    this.#stopWaiting();
    const { sampleRate } = this.#context;
    const source = new AudioBufferSourceNode(this.#context, { buffer: this.#buffer });
    source.connect(this.#output.input);
    source.addEventListener('ended', () => {
      if (this.#sounding?.sources.at(-1) === source) this.#onSourceEnded();
    });
    source.start(startFrame / sampleRate, heardFrame(anchor, startFrame) / sampleRate);
    previousSources.at(-1)?.stop(startFrame / sampleRate);
    this.#sounding = { sources: [...previousSources, source], anchor };
    this.tick();
  }

  #onSourceEnded(): void {
    this.#offset = this.length;
    this.#sounding = null;
    if (this.#whole) this.#listener.onEnded(this);
    else if (this.#isCut) this.#listener.onCut(this);
    else this.#wait();
  }

  /** Switches to a longer decoded piece of the track, on one frame while the shorter piece plays. */
  #grow(buffer: AudioBuffer, isWhole: boolean): void {
    const sounding = this.#sounding;
    const { length } = this;
    this.#buffer = buffer;
    this.#whole = isWhole;
    if (!sounding)
      return this.#wanted ? this.playAt(soonestFrame(this.#context.currentTime, this.#context.sampleRate)) : undefined;
    const { currentTime: clockSeconds, sampleRate: rate } = this.#context;
    const { anchor, sources } = sounding;
    this.#begin(anchor, spliceFrame(anchor, { length, clockSeconds, rate }), sources);
    return undefined;
  }

  #silence(): void {
    if (!this.#sounding) return;
    const { sources, anchor } = this.#sounding;
    this.#offset = Math.floor(heardFrame(anchor, this.#context.currentTime * this.#context.sampleRate));
    this.#sounding = null;
    for (const source of sources) {
      source.stop();
      source.disconnect();
    }
  }

  #wait(): void {
    this.#source.more();
    this.#patience ??= setTimeout(() => this.#listener.onStarved(this), MAX_START_MS);
  }

  #stopWaiting(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }
}
