// Reads equalizer files of AutoEQ and Equalizer APO: parametric filters, fixed bands, and graphic curves
// (https://sourceforge.net/p/equalizerapo/wiki/Configuration%20reference/).
import { fitGraphic, limitBand, MAX_BANDS, type Band, type BandType } from './equalizer.ts';

interface EqualizerFile {
  preampDb: number;
  bands: Band[];
  isGraphic: boolean;
  /** The lines with unsupported settings, unchanged. */
  ignored: string[];
}

const TYPE_NAMES: Record<string, BandType> = {
  PK: 'peaking',
  PEQ: 'peaking',
  MODAL: 'peaking',
  LS: 'lowshelf',
  LSC: 'lowshelf',
  LSQ: 'lowshelf',
  HS: 'highshelf',
  HSC: 'highshelf',
  HSQ: 'highshelf',
};
const PREAMP = /^Preamp\s*:\s*([-+]?[\d.,]{1,20})\s*dB/i;
const FILTER = /^Filter[\s\d]*:\s*(ON|OFF)\s+([A-Z]+)\b(.*)/i;
const GRAPHIC = /^GraphicEQ\s*:(.*)/i;
const POINT = /^([-+]?[\d.,]{1,20})\s+([-+]?[\d.,]{1,20})$/;
const FREQUENCY = /Fc\s*([-+]?[\d.,]{1,20})/i;
const GAIN = /Gain\s*([-+]?[\d.,]{1,20})/i;
const OCTAVES = /BW\s+Oct\s*([-+]?[\d.,]{1,20})/i;
const QUALITY = /\bQ\s*([-+]?[\d.,]{1,20})/i;
/** Longer lines are not parsed as filters. */
const MAX_LINE_LENGTH = 100_000;
const MAX_POINTS = 2_000;

/** Returns the number of the first match, with a decimal point or comma, or undefined. */
function numberIn(text: string, pattern: RegExp): number | undefined {
  const number = Number(pattern.exec(text)?.[1]?.replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}

/** Parses a file. Returns undefined for a text with neither filters nor a curve. */
export function parseEqualizerFile(text: string): EqualizerFile | undefined {
  let preampDb = 0;
  const bands: Band[] = [];
  const ignoredLines: string[] = [];
  for (const row of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const line = row.slice(0, MAX_LINE_LENGTH).trim();
    const preamp = numberIn(line, PREAMP);
    const [, state, type = '', rest = ''] = FILTER.exec(line) ?? [];
    const curve = GRAPHIC.exec(line)?.[1];
    if (preamp !== undefined) preampDb = Math.min(0, preampDb + preamp);
    else if (curve !== undefined) {
      const graphic = parseCurve(curve);
      if (graphic) return { preampDb, bands: graphic, isGraphic: true, ignored: ignoredLines };
    } else if (state?.toUpperCase() === 'ON') {
      const band = parseFilter(type.toUpperCase(), rest);
      if (band === undefined || bands.length === MAX_BANDS) ignoredLines.push(line);
      else if (band !== null) bands.push(band);
    } else if (line !== '' && !line.startsWith('#') && state === undefined) ignoredLines.push(line);
  }
  return bands.length === 0 ? undefined : { preampDb, bands, isGraphic: false, ignored: ignoredLines };
}

/** Parses a filter. Returns null for a filter without effect, undefined for an unsupported filter. */
function parseFilter(name: string, rest: string): Band | null | undefined {
  const type = TYPE_NAMES[name];
  const frequency = numberIn(rest, FREQUENCY);
  const gainDb = numberIn(rest, GAIN);
  if (name === 'NONE') return null;
  if (type === undefined || frequency === undefined || gainDb === undefined || frequency <= 0) return undefined;
  const octaves = numberIn(rest, OCTAVES);
  const q = numberIn(rest, QUALITY) ?? (octaves === undefined ? Math.SQRT1_2 : qOf(octaves));
  return q > 0 ? limitBand({ type, frequency, gainDb, q }) : undefined;
}

const qOf = (octaves: number): number => 2 ** (octaves / 2) / (2 ** octaves - 1);

/** Parses a curve such as `20 -1.5; 25 -1.2; …`, linear in dB over the logarithm of the frequency. */
function parseCurve(text: string): Band[] | undefined {
  const points = text
    .split(';')
    .slice(0, MAX_POINTS)
    .flatMap((part) => {
      const [, frequency, gain] = POINT.exec(part.trim()) ?? [];
      if (frequency === undefined || gain === undefined) return [];
      return [{ at: Math.log(Number(frequency.replace(',', '.'))), db: Number(gain.replace(',', '.')) }];
    })
    .filter(({ at, db }) => Number.isFinite(at) && Number.isFinite(db))
    .toSorted((a, b) => a.at - b.at);
  if (points.length < 2) return undefined;
  return fitGraphic((frequency) => {
    const logFrequency = Math.log(frequency);
    const nextIndex = points.findIndex((point) => point.at >= logFrequency);
    if (nextIndex === -1) return points.at(-1)?.db ?? 0;
    const [low, high] = [points[Math.max(0, nextIndex - 1)], points[nextIndex]];
    if (!low || !high || low === high) return high?.db ?? 0;
    return low.db + ((high.db - low.db) * (logFrequency - low.at)) / (high.at - low.at);
  });
}
