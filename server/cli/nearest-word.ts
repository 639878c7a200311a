// Suggests the word that a user probably meant.

const MAX_EDITS = 2;

/** Returns ` Did you mean "scan"?`, or an empty text when no word is close. */
export function suggestionFor(word: string, words: readonly string[], prefix = ''): string {
  const [nearest] = words
    .map((candidate) => ({ candidate, edits: countEdits(word.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits < Math.min(word.length, candidate.length))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest ? ` Did you mean "${prefix}${nearest.candidate}"?` : '';
}

/** Returns the number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
export function countEdits(from: string, to: string): number {
  let [beforePrevious, previousRow]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    const currentRow = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaceCost = (previousRow?.[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapCost = isSwap ? (beforePrevious?.[j - 2] ?? 0) + 1 : Infinity;
      currentRow[j] = Math.min((previousRow?.[j] ?? 0) + 1, (currentRow[j - 1] ?? 0) + 1, replaceCost, swapCost);
    }
    [beforePrevious, previousRow] = [previousRow, currentRow];
  }
  return previousRow?.[to.length] ?? 0;
}
