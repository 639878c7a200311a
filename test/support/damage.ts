// Good files with random damage, the same each time.

/** A seeded random generator, so that failures can be repeated. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** Bytes changed, removed, repeated, truncated. */
export function damaged(good: Buffer, below: (n: number) => number): Buffer {
  let bytes = Buffer.from(good);
  const within = below(2) ? Math.min(bytes.length, 500) : bytes.length; // half of the damage is at the start
  for (let n = 1 + below(16); n > 0 && bytes.length > 0; n--) {
    const at = below(Math.min(within, bytes.length));
    switch (below(5)) {
      case 0:
        bytes[at] = below(256);
        break;
      case 1:
        bytes.fill(0xff, at, Math.min(at + 4, bytes.length));
        break;
      case 2:
        bytes.fill(0, at, Math.min(at + 4, bytes.length));
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(64))]);
        break;
      default:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          bytes.subarray(below(bytes.length)).subarray(0, 300),
          bytes.subarray(at),
        ]);
    }
  }
  return below(5) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
}
