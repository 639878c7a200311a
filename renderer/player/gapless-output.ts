// The current track, the next one prepared behind it, and the join between them. Knows no queue: the engine says what
// comes, this reports what happened.
import { BufferVoice } from './buffer-voice.ts';
import { ElementVoice } from './element-voice.ts';
import { crossfadeBetween, replayGain } from './gain.ts';
import type { Mixer } from './mixer.ts';
import { joinFrame, soonestFrame } from './timeline.ts';
import type { ReplayGainMode } from './player.ts';
import type { Voice, VoiceItem, VoiceListener } from './voice.ts';

/** A decoded minute takes 23 MB. Longer tracks are left to a media element, without a sample-accurate end. */
const LONGEST_DECODED_MS = 15 * 60_000;
const PREPARE_BEFORE_END_MS = 25_000;

export interface Sound {
  crossfadeS: number;
  replayGain: ReplayGainMode;
  preampDb: number;
  speed: number;
}

export interface GaplessOutputOptions {
  mixer: Mixer;
  streamUrl: (trackId: number) => string;
  fetchStream: (trackId: number, signal: AbortSignal) => Promise<Response>;
  /** The next track has started; the current one has ended, or is fading out. */
  onJoined: (item: VoiceItem) => void;
  /** Nothing follows. */
  onEnded: () => void;
  onFailed: (item: VoiceItem) => void;
}

export class GaplessOutput {
  readonly #options: GaplessOutputOptions;
  readonly #listener: VoiceListener;
  #sound: Sound = { crossfadeS: 0, replayGain: 'off', preampDb: 0, speed: 1 };
  #shuffled = false;
  #current: Voice | null = null;
  #next: Voice | null = null;
  #leaving: Voice | null = null;
  #upcoming: VoiceItem | null = null;
  /** The next track is scheduled to start on this frame. */
  #joinAt: number | null = null;
  #playing = false;

  constructor(options: GaplessOutputOptions) {
    this.#options = options;
    this.#listener = {
      onEnded: (voice) => this.#onVoiceEnded(voice),
      onFailed: (voice) => this.#onVoiceFailed(voice),
      onStarved: (voice) => this.#onVoiceStarved(voice),
    };
  }

  get current(): Voice | null {
    return this.#current;
  }

  /** Stops what is playing and starts this; silently when `paused`. */
  start(item: VoiceItem, { positionMs, paused }: { positionMs: number; paused: boolean }): void {
    this.#unjoin();
    this.#drop(this.#current, this.#leaving);
    this.#leaving = null;
    if (this.#next?.item.key === item.key && positionMs === 0) {
      this.#current = this.#next;
      this.#next = null;
    } else {
      this.#dropNext();
      this.#current = this.#open(item, positionMs);
    }
    this.#playing = false;
    if (!paused) this.resume();
  }

  resume(): void {
    this.#playing = true;
    this.#current?.play();
  }

  pause(): void {
    this.#playing = false;
    this.#unjoin();
    this.#drop(this.#leaving);
    this.#leaving = null;
    this.#current?.pause();
  }

  seek(positionMs: number): void {
    this.#unjoin();
    this.#drop(this.#leaving);
    this.#leaving = null;
    this.#current?.seek(positionMs);
  }

  stop(): void {
    this.#playing = false;
    this.#unjoin();
    this.#drop(this.#current, this.#leaving);
    this.#current = this.#leaving = null;
    this.#dropNext();
  }

  /** What plays after the current track; null for nothing. */
  setUpcoming(item: VoiceItem | null, shuffled: boolean): void {
    this.#shuffled = shuffled;
    if (item?.key === this.#upcoming?.key) return;
    this.#upcoming = item;
    this.#unjoin();
    this.#dropNext();
  }

  setSound(sound: Sound): void {
    const { speed, crossfadeS } = this.#sound;
    this.#sound = sound;
    for (const voice of [this.#current, this.#next]) voice?.setLevel(this.#levelOf(voice.item));
    if (sound.crossfadeS !== crossfadeS) this.#unjoin();
    if (sound.speed === speed) return;
    if (sound.speed !== 1) this.#moveToElement();
    // back at normal speed a track stays with its element; the audio clock takes the next one
    this.#current?.setSpeed(sound.speed);
    this.#unjoin();
    this.#dropNext();
  }

  /** Called a few times a second while playing. */
  tick(): void {
    const current = this.#current;
    if (!current || !this.#playing) return;
    current.tick();
    if (this.#joinAt !== null && this.#frameNow() >= this.#joinAt) return this.#promote();
    const remainingMs = (current.durationMs ?? current.item.track.duration_ms ?? Infinity) - current.positionMs;
    if (this.#upcoming && !this.#next && current.isComplete && remainingMs < PREPARE_BEFORE_END_MS * this.#sound.speed)
      this.#next = this.#open(this.#upcoming, 0);
    if (this.#joinAt === null && this.#next) this.#join(current, this.#next, remainingMs);
  }

  #open(item: VoiceItem, positionMs: number): Voice {
    const { mixer, streamUrl, fetchStream } = this.#options;
    const common = { item, positionMs, ...mixer.open(item.track.sample_rate_hz), listener: this.#listener };
    const voice = this.#isForClock(item)
      ? new BufferVoice({ ...common, stream: (signal) => fetchStream(item.track.id, signal) })
      : new ElementVoice({ ...common, src: streamUrl(item.track.id), speed: this.#sound.speed });
    voice.setLevel(this.#levelOf(item));
    return voice;
  }

  #isForClock({ track }: VoiceItem): boolean {
    return this.#sound.speed === 1 && track.duration_ms !== null && track.duration_ms <= LONGEST_DECODED_MS;
  }

  #levelOf({ track }: VoiceItem): number {
    return replayGain(track.replay_gain, this.#sound.replayGain, this.#sound.preampDb);
  }

  /** Schedules the next track to start where this one ends, or earlier for a crossfade. */
  #join(current: Voice, next: Voice, remainingMs: number): void {
    const crossfadeS = crossfadeBetween(current.item.track, next.item.track, this.#sound.crossfadeS, this.#shuffled);
    const { context } = this.#options.mixer.open();
    const { currentTime, sampleRate } = context;
    if (!(current instanceof BufferVoice) || !(next instanceof BufferVoice)) {
      if (crossfadeS > 0 && remainingMs <= crossfadeS * 1000 && !next.isStalled)
        this.#fade(current, next, currentTime, remainingMs / 1000);
      return;
    }
    const end = current.endFrame;
    if (end === null || next.length === 0) return;
    const nextLength = ((next.item.track.duration_ms ?? 0) / 1000) * sampleRate;
    const at = joinFrame(end, {
      crossfade: crossfadeS * sampleRate,
      length: current.length,
      nextLength,
      soonest: soonestFrame(currentTime, sampleRate),
    });
    next.playAt(at);
    this.#joinAt = at;
    if (at >= end) return;
    current.fadeOut(at / sampleRate, (end - at) / sampleRate);
    next.fadeIn(at / sampleRate, (end - at) / sampleRate);
  }

  #fade(current: Voice, next: Voice, atSeconds: number, seconds: number): void {
    if (seconds <= 0.05) return; // too late: it ends by itself
    current.fadeOut(atSeconds, seconds);
    next.fadeIn(atSeconds, seconds);
    next.play();
    this.#promote();
  }

  #promote(): void {
    if (!this.#next) return;
    this.#drop(this.#leaving);
    this.#leaving = this.#current;
    this.#current = this.#next;
    this.#next = null;
    this.#joinAt = null;
    this.#upcoming = null; // the engine says what comes now
    this.#options.onJoined(this.#current.item);
  }

  /** Unschedules the next track, which stays prepared. */
  #unjoin(): void {
    if (this.#joinAt === null) return;
    this.#joinAt = null;
    this.#next?.pause();
    this.#next?.seek(0);
    this.#current?.resetFade();
  }

  #onVoiceEnded(voice: Voice): void {
    if (voice === this.#leaving) {
      this.#drop(voice);
      this.#leaving = null;
    } else if (voice === this.#current) {
      if (this.#joinAt !== null) this.#promote();
      else this.#options.onEnded();
    }
  }

  #onVoiceFailed(voice: Voice): void {
    if (voice === this.#current) return this.#options.onFailed(voice.item);
    if (voice === this.#next) {
      // It is tried again, and the error shown, when its turn comes.
      this.#unjoin();
      this.#dropNext();
      this.#upcoming = null;
    }
    return undefined;
  }

  #onVoiceStarved(voice: Voice): void {
    if (voice === this.#current) this.#moveToElement();
    else if (voice === this.#next) this.#onVoiceFailed(voice);
  }

  #moveToElement(): void {
    const before = this.#current;
    if (!(before instanceof BufferVoice)) return;
    const { mixer, streamUrl } = this.#options;
    this.#unjoin();
    const { item, positionMs } = before;
    const voice = new ElementVoice({
      item,
      positionMs,
      src: streamUrl(item.track.id),
      speed: this.#sound.speed,
      ...mixer.open(),
      listener: this.#listener,
    });
    voice.setLevel(this.#levelOf(item));
    before.close();
    this.#current = voice;
    if (this.#playing) voice.play();
  }

  #frameNow(): number {
    const { context } = this.#options.mixer.open();
    return context.currentTime * context.sampleRate;
  }

  #dropNext(): void {
    this.#drop(this.#next);
    this.#next = null;
  }

  #drop(...voices: (Voice | null)[]): void {
    for (const voice of voices) voice?.close();
  }
}
