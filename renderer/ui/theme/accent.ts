// Derives the colours of a page from the pixels of a cover. Pure, so that contrast can be tested: text in `accentText`
// has 4.5:1 on the page and on the wash, `onAccent` has 4.5:1 on `accent`.
import { contrast, fromHex, fromOklch, toHex, toOklch, type Oklch, type Rgb } from './colour.ts';
import type { Scheme } from './scheme.ts';

interface AccentColours {
  accent: string;
  onAccent: string;
  accentText: string;
  wash: string;
}

const HUE_BINS = 24;
/** Below this chroma the cover counts as black and white, and the page stays neutral. */
const MIN_CHROMA = 0.035;
const AA_CONTRAST = 4.5;

const PAGE: Record<Scheme, { bg: Rgb; ink: Rgb }> = {
  light: { bg: fromHex('#fcfbfa'), ink: fromHex('#1b1a19') },
  dark: { bg: fromHex('#131314'), ink: fromHex('#f2f1ef') },
};

/**
 * Returns the dominant colour: the hue with the most chroma; near-black and near-white pixels have little weight.
 * `pixels` is RGBA.
 */
export function dominantColour(pixels: Uint8ClampedArray): Oklch | null {
  const bins = Array.from({ length: HUE_BINS }, () => ({ weight: 0, l: 0, c: 0, x: 0, y: 0 }));
  let total = 0;
  for (let i = 0; i + 3 < pixels.length; i += 4) {
    const colour = toOklch({ r: pixels[i]! / 255, g: pixels[i + 1]! / 255, b: pixels[i + 2]! / 255 });
    total += 1;
    if (colour.c < MIN_CHROMA) continue;
    const weight = colour.c * Math.max(0.05, 1 - Math.abs(colour.l - 0.6) * 1.6);
    const bin = bins[Math.floor((colour.h / 360) * HUE_BINS) % HUE_BINS]!;
    bin.weight += weight;
    bin.l += colour.l * weight;
    bin.c += colour.c * weight;
    bin.x += Math.cos((colour.h * Math.PI) / 180) * weight;
    bin.y += Math.sin((colour.h * Math.PI) / 180) * weight;
  }
  const strongestBin = bins.reduce((a, b) => (b.weight > a.weight ? b : a));
  if (total === 0 || strongestBin.weight / total < 0.002) return null;
  return {
    l: strongestBin.l / strongestBin.weight,
    c: strongestBin.c / strongestBin.weight,
    h: ((Math.atan2(strongestBin.y, strongestBin.x) * 180) / Math.PI + 360) % 360,
  };
}

/** Changes the lightness from `from` by `step` until the colour has AA contrast with each of `against`. */
function readable(colour: Oklch, step: number, against: Rgb[]): Rgb {
  let l = colour.l;
  let rgb = fromOklch(colour);
  while (l > 0 && l < 1 && against.some((background) => contrast(rgb, background) < AA_CONTRAST)) {
    l += step;
    rgb = fromOklch({ ...colour, l });
  }
  return rgb;
}

export function accentFor(dominant: Oklch, scheme: Scheme): AccentColours {
  const { bg, ink } = PAGE[scheme];
  const { h } = dominant;
  const light = scheme === 'light';
  const washRgb = fromOklch(
    light ? { l: 0.92, c: Math.min(dominant.c, 0.05), h } : { l: 0.3, c: Math.min(dominant.c, 0.065), h },
  );
  const chroma = Math.min(Math.max(dominant.c, 0.08), light ? 0.17 : 0.14);
  const accent = readable({ l: light ? 0.56 : 0.76, c: chroma, h }, light ? -0.01 : 0.01, [bg]);
  const accentText = readable({ l: light ? 0.5 : 0.8, c: chroma, h }, light ? -0.01 : 0.01, [bg, washRgb]);
  const onAccent = contrast(accent, bg) >= AA_CONTRAST ? bg : ink;
  return { accent: toHex(accent), onAccent: toHex(onAccent), accentText: toHex(accentText), wash: toHex(washRgb) };
}
