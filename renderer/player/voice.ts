// The voice of one track that plays or will play next. There are two kinds: decoded buffers on the audio clock, joined
// to the sample (buffer-voice.ts), and a media element for tracks that are too long, arrive too slowly or play at
// another speed (element-voice.ts).
import type { QueueTrack } from './player.ts';

export interface VoiceListener {
  onEnded: (voice: Voice) => void;
  /** The track cannot be loaded or decoded. */
  onFailed: (voice: Voice) => void;
  /** The track's download broke off. */
  onCut: (voice: Voice) => void;
  /** The track could play, but its audio arrives too slowly; the other kind of voice should try. */
  onStarved: (voice: Voice) => void;
}

export interface VoiceItem {
  key: number;
  track: QueueTrack;
}

export interface Voice {
  readonly item: VoiceItem;
  readonly positionMs: number;
  readonly durationMs: number | null;
  readonly bufferedMs: number;
  /** True if the voice should play and has no data. */
  readonly isStalled: boolean;
  /** Whether the track is fully downloaded, so that other downloads take no bandwidth from it. */
  readonly isComplete: boolean;
  /** Called a few times a second while playing. */
  tick(): void;
  play(): void;
  pause(): void;
  seek(positionMs: number): void;
  setLevel(factor: number): void;
  setSpeed(speed: number): void;
  fade(curve: Float32Array, atSeconds: number, seconds: number): void;
  /** Cancels a scheduled fade. */
  resetFade(): void;
  close(): void;
}

/** Gain nodes of a voice: level (ReplayGain) → fade (crossfade) → mixer. */
export class VoiceOutput {
  readonly input: GainNode;
  readonly #fade: GainNode;

  constructor(context: AudioContext, output: AudioNode) {
    this.input = new GainNode(context);
    this.#fade = new GainNode(context);
    this.input.connect(this.#fade).connect(output);
  }

  setLevel(factor: number): void {
    this.input.gain.value = factor;
  }

  fade(curve: Float32Array, atSeconds: number, seconds: number): void {
    this.#fade.gain.setValueCurveAtTime(curve, atSeconds, seconds);
  }

  resetFade(): void {
    this.#fade.gain.cancelScheduledValues(0);
    this.#fade.gain.value = 1;
  }

  close(): void {
    this.input.disconnect();
    this.#fade.disconnect();
  }
}
