// Plays the current track, prepares the next track behind it, and joins the two. The output knows no queue: the engine
// sets the tracks, and the output reports what happened.
import { BufferVoice } from './buffer-voice.ts';
import { ElementVoice, type ElementVoiceOptions } from './element-voice.ts';
import type { Fades, FetchAnalysis } from './crossfade.ts';
import { FADE_IN, FADE_OUT, replayGain } from './gain.ts';
import type { Mixer } from './mixer.ts';
import { soonestFrame } from './timeline.ts';
import type { QueueTrack, ReplayGainMode } from './player.ts';
import type { Transition } from './crossfade-plan.ts';
import type { Voice, VoiceItem, VoiceListener } from './voice.ts';

/** A decoded minute takes 23 MB. Longer tracks are played by a media element, without a sample-accurate end. */
const MAX_DECODED_MS = 15 * 60_000;
const PREPARE_BEFORE_END_MS = 25_000;
/**
 * After this time without sound the connection counts as lost; the time doubles after each restart that did not help.
 */
const STALLED_MS = 15_000;
/** Until this time before a fade, the player waits for the analyses of the tracks. */
const URGENT_MS = 2_000;
/** Until this time before a fade, the player waits for the audio of the next track. */
const SUPPLY_S = 1;
/** Shorter fades are omitted. */
const MIN_FADE_S = 0.05;

interface Sound {
  crossfadeS: number;
  replayGain: ReplayGainMode;
  preampDb: number;
  speed: number;
}

interface GaplessOutputOptions {
  mixer: Mixer;
  streamUrl: (trackId: number, startMs?: number) => string;
  /** Whether a track's stream is the unchanged file. */
  isOriginal: (track: QueueTrack) => boolean;
  fetchStream: (trackId: number, signal: AbortSignal) => Promise<Response>;
  fetchAnalysis: FetchAnalysis;
  /** The next track has started; the current one has ended, or is fading out. */
  onJoined: (item: VoiceItem) => void;
  /** The last track has ended and no other track follows. */
  onEnded: () => void;
  onFailed: (item: VoiceItem) => void;
  /** The download of the track's audio broke off. */
  onCut: (item: VoiceItem) => void;
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
  /** The frame on which the next track is scheduled to start. */
  #joinAt: number | null = null;
  #playing = false;
  #fades: Fades | null = null;
  #stalledSince: number | undefined;
  #patienceMs = STALLED_MS;

  constructor(options: GaplessOutputOptions) {
    this.#options = options;
    this.#listener = {
      onEnded: (voice) => this.#onVoiceEnded(voice),
      onFailed: (voice) => this.#onVoiceFailed(voice),
      onCut: (voice) => (voice === this.#current ? this.#options.onCut(voice.item) : this.#onVoiceFailed(voice)),
      onStarved: (voice) => this.#onVoiceStarved(voice),
    };
  }

  get current(): Voice | null {
    return this.#current;
  }

  /** Stops the current track and starts `item`; silently when `paused`. */
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

  /** Sets the track that plays after the current track; null if none follows. */
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
    this.#options.mixer.setLimited(sound.replayGain !== 'off');
    for (const voice of [this.#current, this.#next]) voice?.setLevel(this.#levelOf(voice.item));
    if (sound.crossfadeS !== crossfadeS) this.#unjoin();
    if (sound.crossfadeS > 0 && crossfadeS === 0) void this.#loadFades();
    if (sound.speed === speed) return;
    if (sound.speed !== 1) this.#moveToElement();
    // at normal speed again, a track stays with its element; the audio clock plays the next track
    this.#current?.setSpeed(sound.speed);
    this.#unjoin();
    this.#dropNext();
  }

  /** Called a few times a second while playing. */
  tick(): void {
    const current = this.#current;
    if (!current || !this.#playing) return;
    current.tick();
    if (this.#isStuck(current)) return this.#options.onCut(current.item);
    if (this.#joinAt !== null && this.#frameNow() >= this.#joinAt) return this.#promote();
    const remainingMs = (current.durationMs ?? current.item.track.duration_ms ?? Infinity) - current.positionMs;
    if (this.#upcoming && !this.#next && current.isComplete && remainingMs < PREPARE_BEFORE_END_MS * this.#sound.speed)
      this.#next = this.#open(this.#upcoming, 0);
    if (this.#joinAt === null && this.#next) this.#join(current, this.#next, remainingMs);
  }

  /** Returns whether the connection is lost without an error. */
  #isStuck(voice: Voice): boolean {
    if (!voice.isStalled) {
      if (this.#stalledSince !== undefined) this.#patienceMs = STALLED_MS;
      this.#stalledSince = undefined;
      return false;
    }
    this.#stalledSince ??= performance.now();
    if (performance.now() - this.#stalledSince < this.#patienceMs) return false;
    this.#stalledSince = undefined;
    this.#patienceMs *= 2;
    return true;
  }

  #open(item: VoiceItem, positionMs: number): Voice {
    const { mixer, fetchStream } = this.#options;
    const voiceOptions = { item, positionMs, ...mixer.open(item.track.sample_rate_hz), listener: this.#listener };
    const voice = this.#isForClock(item)
      ? new BufferVoice({ ...voiceOptions, stream: (signal) => fetchStream(item.track.id, signal) })
      : new ElementVoice({ ...voiceOptions, ...this.#addressOf(item), speed: this.#sound.speed });
    voice.setLevel(this.#levelOf(item));
    return voice;
  }

  #addressOf({ track }: VoiceItem): Pick<ElementVoiceOptions, 'src' | 'loadsFromSeek'> {
    const { streamUrl, isOriginal } = this.#options;
    return {
      src: (startMs) => streamUrl(track.id, startMs),
      loadsFromSeek: track.format === 'mp3' && isOriginal(track),
    };
  }

  #isForClock({ track }: VoiceItem): boolean {
    return this.#sound.speed === 1 && track.duration_ms !== null && track.duration_ms <= MAX_DECODED_MS;
  }

  #levelOf({ track }: VoiceItem): number {
    const { replayGain: mode, preampDb } = this.#sound;
    return replayGain(track.replay_gain, { mode, preampDb, hasLimiter: this.#options.mixer.hasLimiter });
  }

  async #loadFades(): Promise<void> {
    if (this.#fades) return;
    const { Fades: Loaded } = await import('./crossfade.ts');
    this.#fades ??= new Loaded(this.#options.fetchAnalysis);
  }

  /** Schedules the next track to start at the end of the current track, or earlier for a crossfade. */
  #join(current: Voice, next: Voice, remainingMs: number): void {
    const fade = this.#fadeBetween(current, next, remainingMs);
    if (fade === undefined) return;
    if (!(current instanceof BufferVoice) || !(next instanceof BufferVoice)) {
      if (fade && current.positionMs >= fade.fromMs && !next.isStalled) this.#fadeNow(current, next, fade);
      return;
    }
    const end = current.endFrame;
    if (end === null || next.length === 0) return;
    if (fade && this.#joinFaded(current, next, fade)) return;
    const { currentTime, sampleRate } = this.#options.mixer.open().context;
    this.#joinAt = Math.max(soonestFrame(currentTime, sampleRate), end);
    next.playAt(this.#joinAt);
  }

  /** Returns null if the tracks are not faded; undefined while this is undecided. */
  #fadeBetween(current: Voice, next: Voice, remainingMs: number): Transition | null | undefined {
    const fadeMs = this.#sound.crossfadeS * 1000;
    if (fadeMs === 0) return null;
    const isUrgent = remainingMs < fadeMs + URGENT_MS;
    if (!this.#fades) return isUrgent ? null : undefined;
    return this.#fades.between(
      { leaving: sideOf(current), coming: sideOf(next) },
      { fadeMs, shuffled: this.#shuffled, isUrgent },
    );
  }

  /** Schedules a crossfade; returns false if it is too late to schedule one. */
  #joinFaded(current: BufferVoice, next: BufferVoice, { fromMs, startMs, fadeMs, rate }: Transition): boolean {
    const { currentTime, sampleRate } = this.#options.mixer.open().context;
    const [plannedFrame, end] = [current.frameAt(fromMs), current.frameAt(fromMs + fadeMs * rate)];
    const fades = this.#fades;
    if (plannedFrame === null || end === null || !fades) return false;
    const startFrame = Math.max(plannedFrame, soonestFrame(currentTime, sampleRate));
    // a fade that begins late is no longer on the beat
    const isOnTime = startFrame === plannedFrame;
    const seconds = isOnTime ? fadeMs / 1000 : (end - startFrame) / sampleRate;
    if (seconds < MIN_FADE_S) return false;
    if (next.durationMs === null && next.length < (startMs / 1000 + seconds) * sampleRate) {
      next.supply();
      if (startFrame - currentTime * sampleRate > SUPPLY_S * sampleRate) return true;
      if (next.length <= (startMs / 1000) * sampleRate) return false;
    }
    const frames = Math.round(seconds * sampleRate);
    const leavingMs = fromMs + ((startFrame - plannedFrame) / sampleRate) * 1000;
    const samples = current.samples(leavingMs, seconds * (isOnTime ? rate : 1) * 1000);
    const curves = fades.curves(
      { samples, frames: samples[0]?.length ?? 0, level: this.#levelOf(current.item) },
      { samples: next.samples(startMs, seconds * 1000), frames, level: this.#levelOf(next.item) },
    );
    if (isOnTime && rate !== 1) current.endWith(fades.stretched(samples, rate, sampleRate), startFrame);
    current.fade(curves.out, startFrame / sampleRate, seconds);
    next.seek(startMs);
    next.fade(curves.in, startFrame / sampleRate, seconds);
    next.playAt(startFrame);
    this.#joinAt = startFrame;
    return true;
  }

  #fadeNow(current: Voice, next: Voice, { fromMs, startMs, fadeMs }: Transition): void {
    const { currentTime } = this.#options.mixer.open().context;
    const seconds = (fromMs + fadeMs - current.positionMs) / 1000 / this.#sound.speed;
    if (seconds <= MIN_FADE_S) return; // too late to fade: the track ends by itself
    if (startMs > 0) next.seek(startMs);
    current.fade(FADE_OUT, currentTime, seconds);
    next.fade(FADE_IN, currentTime, seconds);
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
    this.#upcoming = null; // the engine sets the next track
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
      // The track is loaded again, and its error displayed, when it becomes the current track.
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
    const bufferVoice = this.#current;
    if (!(bufferVoice instanceof BufferVoice)) return;
    const { mixer } = this.#options;
    this.#unjoin();
    const { item, positionMs } = bufferVoice;
    const voice = new ElementVoice({
      item,
      positionMs,
      ...this.#addressOf(item),
      speed: this.#sound.speed,
      ...mixer.open(),
      listener: this.#listener,
    });
    voice.setLevel(this.#levelOf(item));
    bufferVoice.close();
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

const sideOf = ({ item, durationMs }: Voice) => ({ item, durationMs: durationMs ?? item.track.duration_ms ?? 0 });
