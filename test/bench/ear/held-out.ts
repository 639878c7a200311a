// Which material chose constants of the analysis, and which only judges it. Nothing may be tuned on the second half.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playArrangement, type Arrangement } from '../../support/arrangement.ts';
import { playBeatless } from '../../support/beatless.ts';

type Half = 'choosing' | 'heldOut';
type Range = [first: number, last: number];

const LISTS = JSON.parse(readFileSync(join(import.meta.dirname, 'held-out.json'), 'utf8')) as {
  arrangements: Record<Half, Range>;
  beatless: Record<Half, Range>;
  packages: string[];
};

const numbersOf = ([first, last]: Range): number[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => first + offset);

export function* arrangementsOf(half: Half): Generator<Arrangement> {
  for (const number of numbersOf(LISTS.arrangements[half])) yield playArrangement(number, half === 'heldOut');
}

export function* beatlessSoundsOf(half: Half): Generator<ReturnType<typeof playBeatless>> {
  for (const number of numbersOf(LISTS.beatless[half])) yield playBeatless(number);
}

export const isPackageHeldOut = (name: string): boolean => LISTS.packages.includes(name);
