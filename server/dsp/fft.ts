// Power spectra of real signals: a radix-4 FFT over half as many complex points (Cooley and Tukey 1965; the step from
// complex to real as in Numerical Recipes, 12.3). Tables and buffers are made once per size.

/** Writes the power of bins 0 to `size / 2` of the `size` samples from `at` on into `power`. */
export type PowerSpectrum = (samples: Float64Array | Float32Array, power: Float64Array, at?: number) => void;

const flat = (size: number): Float64Array => new Float64Array(size).fill(1);

/** `size` is a power of two of at least 8. Samples are not changed; they are weighed by the window, if there is one. */
export function createPowerSpectrum(size: number, window = flat(size)): PowerSpectrum {
  const half = size >> 1;
  const bits = Math.log2(half);
  const cos = new Float64Array(half);
  const sin = new Float64Array(half);
  for (let i = 0; i < half; i++) {
    cos[i] = Math.cos((2 * Math.PI * i) / size);
    sin[i] = -Math.sin((2 * Math.PI * i) / size);
  }
  const reversed = new Uint32Array(half);
  for (let i = 0; i < half; i++) reversed[i] = ((reversed[i >> 1] as number) >> 1) | ((i & 1) << (bits - 1));
  // in the order in which they are read
  const evens = reversed.map((k) => 2 * k);
  const evenWeights = Float64Array.from(evens, (k) => window[k] as number);
  const oddWeights = Float64Array.from(evens, (k) => window[k + 1] as number);
  const re = new Float64Array(half);
  const im = new Float64Array(half);

  /** Two steps of radix 2 in one go, on blocks of `4 * h`. */
  function fourfold(h: number): void {
    const step = size / (4 * h);
    for (let k = 0; k < h; k++) {
      const c1 = cos[k * step] as number;
      const s1 = sin[k * step] as number;
      const c2 = c1 * c1 - s1 * s1;
      const s2 = 2 * c1 * s1;
      for (let a = k; a < half; a += 4 * h) {
        const b = a + h;
        const c = b + h;
        const d = c + h;
        const br = (re[b] as number) * c2 - (im[b] as number) * s2;
        const bi = (re[b] as number) * s2 + (im[b] as number) * c2;
        const dr = (re[d] as number) * c2 - (im[d] as number) * s2;
        const di = (re[d] as number) * s2 + (im[d] as number) * c2;
        const pr = (re[a] as number) + br;
        const pi = (im[a] as number) + bi;
        const qr = (re[a] as number) - br;
        const qi = (im[a] as number) - bi;
        const tr = (re[c] as number) + dr;
        const ti = (im[c] as number) + di;
        const vr = (re[c] as number) - dr;
        const vi = (im[c] as number) - di;
        const ur = tr * c1 - ti * s1;
        const ui = tr * s1 + ti * c1;
        const wr = vr * s1 + vi * c1; // times -i
        const wi = vi * s1 - vr * c1;
        re[a] = pr + ur;
        im[a] = pi + ui;
        re[c] = pr - ur;
        im[c] = pi - ui;
        re[b] = qr + wr;
        im[b] = qi + wi;
        re[d] = qr - wr;
        im[d] = qi - wi;
      }
    }
  }

  function pairs(): void {
    for (let a = 0; a < half; a += 2) {
      const ar = re[a] as number;
      const ai = im[a] as number;
      re[a] = ar + (re[a + 1] as number);
      im[a] = ai + (im[a + 1] as number);
      re[a + 1] = ar - (re[a + 1] as number);
      im[a + 1] = ai - (im[a + 1] as number);
    }
  }

  return (samples, power, at = 0) => {
    for (let i = 0; i < half; i++) {
      const from = at + (evens[i] as number);
      re[i] = (samples[from] as number) * (evenWeights[i] as number);
      im[i] = (samples[from + 1] as number) * (oddWeights[i] as number);
    }
    let h = 1;
    if (bits & 1) {
      pairs();
      h = 2;
    }
    for (; h < half; h *= 4) fourfold(h);
    power[0] = ((re[0] as number) + (im[0] as number)) ** 2;
    power[half] = ((re[0] as number) - (im[0] as number)) ** 2;
    for (let k = 1; k <= half >> 1; k++) {
      const other = half - k;
      const evenRe = ((re[k] as number) + (re[other] as number)) / 2;
      const evenIm = ((im[k] as number) - (im[other] as number)) / 2;
      const oddRe = ((im[k] as number) + (im[other] as number)) / 2;
      const oddIm = ((re[other] as number) - (re[k] as number)) / 2;
      const tr = oddRe * (cos[k] as number) - oddIm * (sin[k] as number);
      const ti = oddRe * (sin[k] as number) + oddIm * (cos[k] as number);
      power[k] = (evenRe + tr) ** 2 + (evenIm + ti) ** 2;
      power[other] = (evenRe - tr) ** 2 + (evenIm - ti) ** 2;
    }
  };
}

/** A Hann window (periodic). */
export const hann = (size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
