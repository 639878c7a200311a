// The score of a detected key, as MIREX weighs it: a fifth away 0.5, the relative key 0.3, the parallel key 0.2.

export const KEYS = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'] as const;

/** Returns the score of a detected key such as `F#m`; `tonic` is an index of `KEYS`. */
export function keyWeight(foundKey: string | undefined, tonic: number, isMinor: boolean): number {
  if (foundKey === undefined) return 0;
  const isFoundMinor = foundKey.endsWith('m');
  const semitones = (KEYS.indexOf(foundKey.replace(/m$/, '') as (typeof KEYS)[number]) - tonic + 12) % 12;
  if (isFoundMinor === isMinor) return semitones === 0 ? 1 : semitones === 7 || semitones === 5 ? 0.5 : 0;
  if (semitones === 0) return 0.2;
  return semitones === (isMinor ? 3 : 9) ? 0.3 : 0;
}
