// Moods, from what tags or the analysis say of tempo, key and energy: what a mood means can be seen in the track.

/** Energy from and to, tempo from here on, and whether the key is minor. */
interface Definition {
  energy: readonly [number, number];
  leastBpm?: number;
  isMinor?: boolean;
}

const DEFINITIONS = {
  calm: { energy: [1, 3] },
  gentle: { energy: [3, 5], isMinor: false },
  bright: { energy: [5, 8], isMinor: false },
  dark: { energy: [1, 6], isMinor: true },
  driving: { energy: [6, 10], leastBpm: 110 },
  intense: { energy: [8, 10] },
} as const satisfies Record<string, Definition>;

export type Mood = keyof typeof DEFINITIONS;
export const MOODS = Object.keys(DEFINITIONS) as [Mood, ...Mood[]];

/** `F#m`, `Fmin`, and `11A` as DJ programs write it. */
const minor = (key: string): string =>
  `(${['[A-G]m*', '[A-G][#b]m*', '[0-9]A', '1[0-9]A'].map((form) => `${key} GLOB '${form}'`).join(' OR ')})
    AND ${key} NOT GLOB '*maj*'`;

export function energiesOf(mood: Mood): number[] {
  const [from, to] = DEFINITIONS[mood].energy;
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** A condition on the row of a track. */
export function moodSql(mood: Mood, row: string): string {
  const { energy, leastBpm, isMinor }: Definition = DEFINITIONS[mood];
  const key = `${row}.initial_key`;
  return [
    `${row}.energy BETWEEN ${energy[0]} AND ${energy[1]}`,
    ...(leastBpm === undefined ? [] : [`${row}.bpm >= ${leastBpm}`]),
    ...(isMinor === undefined ? [] : [isMinor ? minor(key) : `${key} IS NOT NULL AND NOT (${minor(key)})`]),
  ].join(' AND ');
}
