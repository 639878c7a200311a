// A seeded random order without a table: a small Feistel network maps ids to places and back, over 0..4^halfBits-1.
// Items keep their order when others are added or removed.

export interface SeededOrder {
  /** The number of places, including those of ids that do not exist. */
  size: number;
  idAt(place: number): number;
  placeOf(id: number): number;
}

const ROUNDS = [0, 1, 2, 3];

export function seededOrder(seed: number, maxId: number): SeededOrder {
  const halfBits = Math.max(2, Math.ceil(Math.log2(maxId + 1) / 2));
  const mask = 2 ** halfBits - 1;
  const keys = ROUNDS.map((round) =>
    mix(Math.imul(round + 1, 0x9e3779b1) ^ mix(seed >>> 0) ^ Math.floor(seed / 2 ** 32)),
  );
  const step = (half: number, round: number): number => mix(half ^ (keys[round] ?? 0)) & mask;
  return {
    size: 4 ** halfBits,
    idAt(place) {
      let left = Math.floor(place / (mask + 1));
      let right = place & mask;
      for (const round of ROUNDS) [left, right] = [right, left ^ step(right, round)];
      return left * (mask + 1) + right;
    },
    placeOf(id) {
      let left = Math.floor(id / (mask + 1));
      let right = id & mask;
      for (const round of ROUNDS.toReversed()) [left, right] = [right ^ step(left, round), left];
      return left * (mask + 1) + right;
    },
  };
}

/** Mixes the bits of a number with the 32-bit finalizer of MurmurHash3. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
