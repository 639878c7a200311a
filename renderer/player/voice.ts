// One track that sounds or is about to. There are two kinds: decoded on the audio clock, which joins to the sample
// (buffer-voice.ts), and a media element for what is too long, too slow to come or played at another speed
// (element-voice.ts).
import type { QueueTrack } from './types.ts';

export interface VoiceListener {
  onEnded: (voice: Voice) => void;
  /** The track can't be had or can't be understood. */
  onFailed: (voice: Voice) => void;
  /** It would play, but its sound does not come fast enough; somebody else should try. */
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
  /** True while it should sound and has nothing to. */
  readonly isStalled: boolean;
  /** All of it is here: fetching something else takes nothing from it. */
  readonly isComplete: boolean;
  /** Called a few times a second while it sounds. */
  tick(): void;
  play(): void;
  pause(): void;
  seek(positionMs: number): void;
  setLevel(factor: number): void;
  setSpeed(speed: number): void;
  fadeIn(atSeconds: number, seconds: number): void;
  fadeOut(atSeconds: number, seconds: number): void;
  resetFade(): void;
  close(): void;
}

/** level (ReplayGain) → fade (crossfade) → mixer. */
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
