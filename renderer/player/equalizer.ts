// The equalizer's filters: second-order sections after Robert Bristow-Johnson's Audio EQ Cookbook, computed for the
// context's sample rate, and the headroom that they need. Pure.

export const BAND_TYPES = ['peaking', 'lowshelf', 'highshelf'] as const;
export type BandType = (typeof BAND_TYPES)[number];

export interface Band {
  type: BandType;
  /** Hz. */
  frequency: number;
  gainDb: number;
  q: number;
}

export interface Equalizer {
  isOn: boolean;
  /** The chosen preamp in dB; a lower one is applied if the bands need it (see `preampOf`). */
  preampDb: number;
  bands: readonly Band[];
  /** Whether the bands have fixed frequencies and only their gains are set. */
  isGraphic: boolean;
}

interface Coefficients {
  /** b0, b1, b2 */
  feedforward: [number, number, number];
  /** a0 (1), a1, a2 */
  feedback: [number, number, number];
}

export const MAX_BANDS = 20;
export const FREQUENCY = { min: 20, max: 20_000 };
export const GAIN_DB = { min: -24, max: 24 };
export const Q = { min: 0.1, max: 20 };
const BUTTERWORTH = Math.SQRT1_2;
/** The Q of a filter that is one octave wide. */
const GRAPHIC_Q = 1.41;
const GRAPHIC_HZ = [31.25, 62.5, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];
const PARAMETRIC_HZ = [60, 120, 240, 480, 960, 1_900, 3_800, 7_600, 10_000, 14_000];

export const flatBands = (isGraphic: boolean): Band[] =>
  isGraphic
    ? GRAPHIC_HZ.map((frequency) => ({ type: 'peaking', frequency, gainDb: 0, q: GRAPHIC_Q }))
    : PARAMETRIC_HZ.map((frequency, index) => {
        const shelf: BandType = index === 0 ? 'lowshelf' : 'highshelf';
        const isShelf = index === 0 || index === PARAMETRIC_HZ.length - 1;
        return { type: isShelf ? shelf : 'peaking', frequency, gainDb: 0, q: isShelf ? BUTTERWORTH : 1 };
      });

const FLAT: Equalizer = { isOn: false, preampDb: 0, bands: flatBands(false), isGraphic: false };

const clamp = (value: number, { min, max }: { min: number; max: number }): number =>
  Math.min(max, Math.max(min, value));

/** Returns the band with its values limited to the supported ranges. */
export const limitBand = ({ type, frequency, gainDb, q }: Band): Band => ({
  type,
  frequency: clamp(frequency, FREQUENCY),
  gainDb: clamp(gainDb, GAIN_DB),
  q: clamp(q, Q),
});

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isBand = (band: Partial<Band> | null): band is Band =>
  BAND_TYPES.some((type) => type === band?.type) &&
  isNumber(band?.frequency) &&
  isNumber(band.gainDb) &&
  isNumber(band.q);

/** Returns a stored equalizer, possibly of another version, with valid values. */
export function toValidSettings(storedEqualizer: Partial<Equalizer> | null): Equalizer {
  if (!storedEqualizer || !Array.isArray(storedEqualizer.bands)) return FLAT;
  return {
    isOn: storedEqualizer.isOn === true,
    preampDb: isNumber(storedEqualizer.preampDb) ? Math.min(0, storedEqualizer.preampDb) : 0,
    bands: (storedEqualizer.bands as (Partial<Band> | null)[]).filter(isBand).slice(0, MAX_BANDS).map(limitBand),
    isGraphic: storedEqualizer.isGraphic === true,
  };
}

function coefficients({ type, frequency, gainDb, q }: Band, sampleRate: number): Coefficients {
  const a = 10 ** (gainDb / 40);
  const w = (2 * Math.PI * Math.min(frequency, sampleRate * 0.49)) / sampleRate;
  const cos = Math.cos(w);
  const alpha = Math.sin(w) / (2 * q);
  if (type === 'peaking')
    return normalized([1 + alpha * a, -2 * cos, 1 - alpha * a], [1 + alpha / a, -2 * cos, 1 - alpha / a]);
  const sign = type === 'lowshelf' ? 1 : -1;
  const root = 2 * Math.sqrt(a) * alpha;
  const [up, down] = [a + 1, a - 1];
  return normalized(
    [a * (up - sign * down * cos + root), sign * 2 * a * (down - sign * up * cos), a * (up - sign * down * cos - root)],
    [up + sign * down * cos + root, -sign * 2 * (down + sign * up * cos), up + sign * down * cos - root],
  );
}

function normalized(b: [number, number, number], a: [number, number, number]): Coefficients {
  const normalize = (value: number): number => value / a[0];
  return {
    feedforward: [normalize(b[0]), normalize(b[1]), normalize(b[2])],
    feedback: [1, normalize(a[1]), normalize(a[2])],
  };
}

/** Returns the bands that change the sound. */
export const effective = (bands: readonly Band[]): Band[] => bands.filter(({ gainDb }) => gainDb !== 0).map(limitBand);

/** Returns the gain of all bands together at a frequency, without the preamp. */
export function responseDb(bands: readonly Band[], frequency: number, sampleRate: number): number {
  const w = (2 * Math.PI * frequency) / sampleRate;
  const power = ([c0, c1, c2]: [number, number, number]): number => {
    const re = c0 + c1 * Math.cos(w) + c2 * Math.cos(2 * w);
    const im = c1 * Math.sin(w) + c2 * Math.sin(2 * w);
    return re * re + im * im;
  };
  return effective(bands).reduce((sum, band) => {
    const { feedforward, feedback } = coefficients(band, sampleRate);
    return sum + 10 * Math.log10(power(feedforward) / power(feedback));
  }, 0);
}

const IMPULSE_SECONDS = 1;
/** Rounding error of the browser, which computes with 32 bits between nodes. */
const ROUNDING_ERROR = 1e-4;

/**
 * Returns the preamp with which no signal within full scale exceeds it: the sum of the absolute values of the impulse
 * response is the largest possible amplification of any signal, including phases that a response curve does not show.
 */
export function headroomDb(bands: readonly Band[], sampleRate: number): number {
  const sections = effective(bands).map((band) => coefficients(band, sampleRate));
  if (sections.length === 0) return 0;
  let signal = new Float64Array(Math.round(sampleRate * IMPULSE_SECONDS));
  signal[0] = 1;
  for (const {
    feedforward: [b0, b1, b2],
    feedback: [, a1, a2],
  } of sections) {
    const output = new Float64Array(signal.length);
    let [x1, x2, y1, y2] = [0, 0, 0, 0];
    for (let n = 0; n < signal.length; n++) {
      const x = signal[n] ?? 0;
      const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
      [x2, x1, y2, y1] = [x1, x, y1, y];
      output[n] = y;
    }
    signal = output;
  }
  const maxAmplification = signal.reduce((sum, value) => sum + Math.abs(value), 0);
  return maxAmplification <= 1 ? 0 : -20 * Math.log10(maxAmplification * (1 + ROUNDING_ERROR));
}

/** Returns the preamp that is applied: the chosen preamp, or a lower one if the bands need it. */
export const preampOf = ({ preampDb, bands }: Equalizer, sampleRate: number): number =>
  Math.min(preampDb, headroomDb(bands, sampleRate));

/** Creates the filters as nodes, from `input` to `output`. */
export function createFilters(
  context: BaseAudioContext,
  equalizer: Equalizer,
): { input: AudioNode; output: AudioNode; close: () => void } {
  const { sampleRate } = context;
  const input = new GainNode(context, { gain: 10 ** (preampOf(equalizer, sampleRate) / 20) });
  const nodes: AudioNode[] = [input];
  for (const band of effective(equalizer.bands)) {
    const node = new IIRFilterNode(context, coefficients(band, sampleRate));
    nodes.at(-1)?.connect(node);
    nodes.push(node);
  }
  return { input, output: nodes.at(-1) ?? input, close: () => nodes.forEach((node) => node.disconnect()) };
}

/** Returns graphic bands whose sum is the wanted gain at each frequency; the gains of neighbouring bands add up. */
export function fitGraphic(wantedDb: (frequency: number) => number): Band[] {
  const rate = 48_000;
  let bands = flatBands(true).map((band) => ({ ...band, gainDb: wantedDb(band.frequency) }));
  for (let round = 0; round < 20; round++) {
    const previousBands = bands;
    bands = bands.map((band) =>
      limitBand({
        ...band,
        gainDb: band.gainDb + 0.7 * (wantedDb(band.frequency) - responseDb(previousBands, band.frequency, rate)),
      }),
    );
  }
  return bands.map((band) => ({ ...band, gainDb: Math.round(band.gainDb * 10) / 10 }));
}

const shaped = (points: Record<number, number>): Band[] =>
  flatBands(true).map((band, index) => ({ ...band, gainDb: points[index] ?? 0 }));
/** Graphic bands by the name of the preset. */
export const PRESETS: Record<string, readonly Band[]> = {
  flat: flatBands(true),
  bass: shaped({ 0: 5, 1: 4.5, 2: 3, 3: 1 }),
  lessBass: shaped({ 0: -6, 1: -5, 2: -3, 3: -1 }),
  treble: shaped({ 6: 1, 7: 2.5, 8: 4, 9: 4.5 }),
  voice: shaped({ 0: -4, 1: -3, 2: -1, 4: 1.5, 5: 3, 6: 3, 7: 1.5, 9: -1 }),
  loudness: shaped({ 0: 4.5, 1: 3, 2: 1, 4: -0.5, 7: 0.5, 8: 2, 9: 3 }),
  smallSpeakers: shaped({ 0: -8, 1: -2, 2: 3, 3: 2, 7: 1, 8: 2 }),
};
