// How right a key is, as MIREX weighs it: a fifth away 0.5, the relative key 0.3, the parallel one 0.2.

export const KEYS = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'] as const;

/** `found` as in `F#m`; `tonic` is a place in `KEYS`. */
export function keyWeight(found: string | undefined, tonic: number, isMinor: boolean): number {
  if (found === undefined) return 0;
  const isFoundMinor = found.endsWith('m');
  const apart = (KEYS.indexOf(found.replace(/m$/, '') as (typeof KEYS)[number]) - tonic + 12) % 12;
  if (isFoundMinor === isMinor) return apart === 0 ? 1 : apart === 7 || apart === 5 ? 0.5 : 0;
  if (apart === 0) return 0.2;
  return apart === (isMinor ? 3 : 9) ? 0.3 : 0;
}
