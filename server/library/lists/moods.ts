// Moods, from energy and key: the share of the library's tracks that have less energy, and whether the key is major or
// minor. Tempo has no part in them: a beat that is counted twice or half as fast is a common error.

/** The tracks' range of energy, from and below, as percentiles: the percentage of the library that has less energy. */
interface MoodDefinition {
  ranks: readonly [number, number];
  isMinor?: boolean;
}

const DEFINITIONS = {
  calm: { ranks: [0, 20] },
  gentle: { ranks: [10, 50], isMinor: false },
  bright: { ranks: [50, 90], isMinor: false },
  dark: { ranks: [0, 40], isMinor: true },
  driving: { ranks: [60, 85] },
  intense: { ranks: [85, 100] },
} as const satisfies Record<string, MoodDefinition>;

export type Mood = keyof typeof DEFINITIONS;
export const MOODS = Object.keys(DEFINITIONS) as [Mood, ...Mood[]];

/** Matches minor keys: `F#m`, `Fmin`, and `11A` as DJ programs write it. */
const isMinorSql = (key: string): string =>
  `(${['[A-G]m*', '[A-G][#b]m*', '[0-9]A', '1[0-9]A'].map((form) => `${key} GLOB '${form}'`).join(' OR ')})
    AND ${key} NOT GLOB '*maj*'`;

/**
 * Returns SQL for the energy, from 1 to below 11. Among tracks with the same whole number, louder ones have more: from
 * -30 to -7 LUFS. A track whose loudness was not measured is in the middle.
 */
export const fineEnergySql = (row: string): string =>
  `(${row}.energy + min(0.99, max(0, (12 - coalesce(${row}.measured_gain_db, 0.5)) / 23)))`;

/**
 * Returns SQL for the energy that this percentage of the tracks is below. Until tracks are counted, it assumes an even
 * distribution.
 */
const energyAt = (percent: number): string =>
  `coalesce((SELECT energy FROM energy_ranks WHERE percent = ${percent}), ${1 + percent / 10})`;

/** Returns SQL for the lowest and the highest whole energy that tracks of a mood may have. */
export function wholeEnergiesSql(mood: Mood): string {
  const [from, to] = DEFINITIONS[mood].ranks;
  return `SELECT ${from === 0 ? 1 : `CAST(${energyAt(from)} AS INTEGER)`} AS lowest,
    ${to === 100 ? 10 : `CAST(${energyAt(to)} AS INTEGER)`} AS highest`;
}

/** Returns an SQL condition on the row of a track. */
export function moodSql(mood: Mood, row: string): string {
  const { ranks, isMinor }: MoodDefinition = DEFINITIONS[mood];
  const [from, to] = ranks;
  const key = `${row}.initial_key`;
  return [
    `${row}.energy IS NOT NULL`,
    ...(from === 0 ? [] : [`${fineEnergySql(row)} >= ${energyAt(from)}`]),
    ...(to === 100 ? [] : [`${fineEnergySql(row)} < ${energyAt(to)}`]),
    ...(isMinor === undefined ? [] : [isMinor ? isMinorSql(key) : `${key} IS NOT NULL AND NOT (${isMinorSql(key)})`]),
  ].join(' AND ');
}
