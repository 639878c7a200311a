// The shuffle that the player and the jukebox share.

/**
 * Shuffles items (Fisher-Yates), then separates tracks of one artist: tracks of one artist are adjacent only if no
 * order could avoid it. `previousItem` plays before all of them.
 */
export function shuffleItems<T>(
  items: readonly T[],
  artistOf: (item: T) => number | null,
  random: () => number,
  previousItem: T | null = null,
): T[] {
  const remaining = [...items];
  for (let i = remaining.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [remaining[i], remaining[j]] = [remaining[j]!, remaining[i]!];
  }
  const counts = new ArtistCounts(remaining.map(artistOf));
  const result: T[] = [];
  let previousArtist = previousItem === null ? null : artistOf(previousItem);
  const isAllowed = (item: T) => previousArtist === null || artistOf(item) !== previousArtist;
  while (remaining.length > 0) {
    // An artist with more than half of the remaining tracks has to come now; otherwise two of their tracks become
    // adjacent later.
    const urgentArtist = counts.moreThan(remaining.length / 2);
    let index =
      urgentArtist === null ? -1 : remaining.findIndex((item) => artistOf(item) === urgentArtist && isAllowed(item));
    if (index < 0) index = remaining.findIndex(isAllowed);
    const [item] = remaining.splice(Math.max(0, index), 1) as [T];
    previousArtist = artistOf(item);
    counts.removeOne(previousArtist);
    result.push(item);
  }
  return result;
}

/** Counts how many items each artist has, and finds the artist with the most, which is needed at every step. */
class ArtistCounts {
  readonly #counts = new Map<number, number>();
  /** Artists by the number of their items. */
  readonly #withCount: Set<number>[] = [];

  constructor(artists: readonly (number | null)[]) {
    for (const artist of artists) if (artist !== null) this.#counts.set(artist, (this.#counts.get(artist) ?? 0) + 1);
    for (const [artist, count] of this.#counts) (this.#withCount[count] ??= new Set()).add(artist);
  }

  removeOne(artist: number | null): void {
    if (artist === null) return;
    const count = this.#counts.get(artist) ?? 0;
    this.#counts.set(artist, count - 1);
    this.#withCount[count]?.delete(artist);
    (this.#withCount[count - 1] ??= new Set()).add(artist);
    while ((this.#withCount.at(-1)?.size ?? 1) === 0) this.#withCount.pop();
  }

  /** Returns the artist with more items than this; at half of the items or above there is at most one. */
  moreThan(count: number): number | null {
    if (this.#withCount.length - 1 <= count) return null;
    return this.#withCount.at(-1)?.values().next().value ?? null;
  }
}
