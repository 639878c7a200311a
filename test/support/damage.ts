// Damages intact files randomly, the same way for the same seed.

/** Returns a seeded random generator, so that failures can be repeated. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** Changes, removes, repeats or truncates random bytes of a file. */
export function damageBytes(intactBytes: Buffer, below: (n: number) => number): Buffer {
  let bytes = Buffer.from(intactBytes);
  const within = below(2) ? Math.min(bytes.length, 500) : bytes.length; // half of the damage is at the start
  for (let changes = 1 + below(16); changes > 0 && bytes.length > 0; changes--) {
    const offset = below(Math.min(within, bytes.length));
    switch (below(5)) {
      case 0:
        bytes[offset] = below(256);
        break;
      case 1:
        bytes.fill(0xff, offset, Math.min(offset + 4, bytes.length));
        break;
      case 2:
        bytes.fill(0, offset, Math.min(offset + 4, bytes.length));
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + below(64))]);
        break;
      default:
        bytes = Buffer.concat([
          bytes.subarray(0, offset),
          bytes.subarray(below(bytes.length)).subarray(0, 300),
          bytes.subarray(offset),
        ]);
    }
  }
  return below(5) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
}
