import type { Seed } from '../api/likeness.ts';

type Mood = Extract<Seed, { kind: 'mood' }>['mood'];
/** From quiet to loud. */
const ORDER: Record<Mood, number> = { calm: 1, gentle: 2, dark: 3, bright: 4, driving: 5, intense: 6 };
export const MOODS = (Object.keys(ORDER) as Mood[]).toSorted((a, b) => ORDER[a] - ORDER[b]);

export const isMood = (name: string | null): name is Mood => MOODS.some((mood) => mood === name);
