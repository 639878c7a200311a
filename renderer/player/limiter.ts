// A look-ahead limiter: around a peak above full scale the gain is lowered and raised again, so that peaks do not
// lower the volume of a whole track. Sound within full scale is only delayed. Peaks between samples are found by
// fourfold oversampling, with the interpolator of server/dsp/true-peak.ts.

/** Maximum linear level, slightly below full scale because the gain changes while peaks pass. */
const CEILING = 0.99;
const LOOKAHEAD_SECONDS = 0.005;
const RELEASE_SECONDS = 0.15;
/** From this gain on, the gain counts as restored to 1. */
const NEAR_ONE = 1 - 1e-6;
const TAPS = 12;
const FACTOR = 4;
const CENTER = TAPS / 2;

/** Interpolation weights of the neighbouring samples, for each point between two samples. */
const PHASES = [1, 2, 3].map((phase) =>
  Float64Array.from({ length: TAPS }, (_, tap) => {
    const phaseAngle = ((phase + FACTOR * tap - FACTOR * CENTER) * Math.PI) / FACTOR;
    return (Math.sin(phaseAngle) / phaseAngle) * 0.5 * (1 + Math.cos(phaseAngle / CENTER));
  }),
);

/** Between samples up to this level, no interpolated point exceeds the ceiling. */
const QUIET =
  CEILING / Math.max(...PHASES.map((weights) => weights.reduce((sum, weight) => sum + Math.abs(weight), 0)));

export class Limiter {
  readonly #lookahead: number;
  readonly #release: number;
  readonly #lines: Float32Array[];
  /** The length of the ring buffers is a power of two, so the index of a frame is `frame & mask`. */
  readonly #mask: number;
  /** `needed` is the gain that each frame needs; `allowed` is the gain that the release permits. */
  readonly #needed: Float64Array;
  readonly #allowed: Float64Array;
  #frame = 0;
  #loudUntil = 0;
  #lowest = 1;
  #lowestUntil = 0;
  #last = 1;
  #sum: number;
  /** Number of frames since the gain was below 1. */
  #untouched = 0;

  constructor(rateHz: number, channels: number) {
    this.#lookahead = Math.ceil(rateHz * LOOKAHEAD_SECONDS);
    this.#release = 1 - Math.exp(-1 / (rateHz * RELEASE_SECONDS));
    const length = 2 ** Math.ceil(Math.log2(this.#lookahead + 2 * TAPS));
    this.#mask = length - 1;
    this.#lines = Array.from({ length: channels }, () => new Float32Array(length));
    this.#needed = new Float64Array(length).fill(1);
    this.#allowed = new Float64Array(length).fill(1);
    this.#sum = this.#lookahead;
  }

  /** Number of frames by which the sound is delayed. */
  get delay(): number {
    return CENTER + this.#lookahead - 1;
  }

  /** Processes one block; a missing input channel is silent. */
  process(input: readonly Float32Array[], output: readonly Float32Array[]): void {
    const frames = output[0]?.length ?? 0;
    for (let i = 0; i < frames; i++) {
      const place = this.#frame & this.#mask;
      this.#lines.forEach((line, channel) => {
        const sample = input[channel]?.[i] ?? 0;
        line[place] = sample;
        if (Math.abs(sample) > QUIET) this.#loudUntil = this.#frame + TAPS;
      });
      const gain = this.#gain();
      const from = (this.#frame - this.delay) & this.#mask;
      this.#lines.forEach((line, channel) => {
        const channelOut = output[channel];
        if (channelOut) channelOut[i] = (line[from] as number) * gain;
      });
      this.#frame++;
    }
  }

  /**
   * Returns the gain of the frame that is output now: the mean of the allowed gains since its input, so never more
   * than the frame needs.
   */
  #gain(): number {
    const [place, mask] = [this.#frame & this.#mask, this.#mask];
    const peak = this.#frame < this.#loudUntil ? this.#peak() : 0;
    const neededGain = peak > CEILING ? CEILING / peak : 1;
    this.#needed[place] = neededGain;
    const holdFrames = this.#lookahead + TAPS;
    if (neededGain <= this.#lowest) [this.#lowest, this.#lowestUntil] = [neededGain, this.#frame + holdFrames];
    else if (this.#frame >= this.#lowestUntil) this.#findLowest(holdFrames);
    const raisedGain = this.#last + (this.#lowest - this.#last) * this.#release;
    this.#last = this.#lowest < this.#last ? this.#lowest : raisedGain > NEAR_ONE ? 1 : raisedGain;
    this.#untouched = this.#last < 1 ? 0 : this.#untouched + 1;
    const oldest = this.#allowed[(this.#frame - this.#lookahead) & mask] as number;
    this.#allowed[place] = this.#last;
    this.#sum = this.#untouched >= this.#lookahead ? this.#lookahead : this.#sum + this.#last - oldest;
    return this.#sum / this.#lookahead;
  }

  #findLowest(holdFrames: number): void {
    this.#lowest = 1;
    for (let frame = this.#frame - holdFrames + 1; frame <= this.#frame; frame++) {
      const neededGain = this.#needed[frame & this.#mask] as number;
      if (neededGain <= this.#lowest) [this.#lowest, this.#lowestUntil] = [neededGain, frame + holdFrames];
    }
  }

  /** Returns the highest of the sample in the middle of the taps and the points between this sample and the next. */
  #peak(): number {
    let peak = 0;
    for (const line of this.#lines) {
      peak = Math.max(peak, Math.abs(line[(this.#frame - CENTER) & this.#mask] as number));
      for (const weights of PHASES) {
        let point = 0;
        for (let tap = 0; tap < TAPS; tap++)
          point += (weights[tap] as number) * (line[(this.#frame - tap) & this.#mask] as number);
        peak = Math.max(peak, Math.abs(point));
      }
    }
    return peak;
  }
}
