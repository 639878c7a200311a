import type { Seed } from '../api/likeness.ts';

type Mood = Extract<Seed, { kind: 'mood' }>['mood'];
/** Moods ordered from quiet to loud. */
const MOOD_ORDER: Record<Mood, number> = { calm: 1, gentle: 2, dark: 3, bright: 4, driving: 5, intense: 6 };
export const MOODS = (Object.keys(MOOD_ORDER) as Mood[]).toSorted((a, b) => MOOD_ORDER[a] - MOOD_ORDER[b]);

export const isMood = (name: string | null): name is Mood => MOODS.some((mood) => mood === name);
