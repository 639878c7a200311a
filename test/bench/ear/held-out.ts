// Tells which material was used to choose constants of the analysis, and which only judges it. Nothing may be tuned on
// the held-out material.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playArrangement, type Arrangement } from '../../support/arrangement.ts';
import { playBeatless } from '../../support/beatless.ts';

type SampleSplit = 'choosing' | 'heldOut';
type Range = [first: number, last: number];

const SPLIT_LISTS = JSON.parse(readFileSync(join(import.meta.dirname, 'held-out.json'), 'utf8')) as {
  arrangements: Record<SampleSplit, Range>;
  beatless: Record<SampleSplit, Range>;
  packages: string[];
};

const numbersOf = ([first, last]: Range): number[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset);

export function* arrangementsOf(split: SampleSplit): Generator<Arrangement> {
  for (const number of numbersOf(SPLIT_LISTS.arrangements[split])) yield playArrangement(number, split === 'heldOut');
}

export function* beatlessSoundsOf(split: SampleSplit): Generator<ReturnType<typeof playBeatless>> {
  for (const number of numbersOf(SPLIT_LISTS.beatless[split])) yield playBeatless(number);
}

export const isPackageHeldOut = (name: string): boolean => SPLIT_LISTS.packages.includes(name);
