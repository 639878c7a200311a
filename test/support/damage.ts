// Damages intact files randomly, the same way for the same seed.

/** Returns a seeded random generator, so that failures can be repeated. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * limit);
  };
}

/** Changes, removes, repeats or truncates random bytes of a file. */
export function damageBytes(intactBytes: Buffer, randomBelow: (n: number) => number): Buffer {
  let bytes = Buffer.from(intactBytes);
  // half of the damage is at the start
  const damagedLength = randomBelow(2) ? Math.min(bytes.length, 500) : bytes.length;
  for (let changes = 1 + randomBelow(16); changes > 0 && bytes.length > 0; changes--) {
    const offset = randomBelow(Math.min(damagedLength, bytes.length));
    switch (randomBelow(5)) {
      case 0:
        bytes[offset] = randomBelow(256);
        break;
      case 1:
        bytes.fill(0xff, offset, Math.min(offset + 4, bytes.length));
        break;
      case 2:
        bytes.fill(0, offset, Math.min(offset + 4, bytes.length));
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + randomBelow(64))]);
        break;
      default:
        bytes = Buffer.concat([
          bytes.subarray(0, offset),
          bytes.subarray(randomBelow(bytes.length)).subarray(0, 300),
          bytes.subarray(offset),
        ]);
    }
  }
  return randomBelow(5) === 0 ? bytes.subarray(0, randomBelow(bytes.length)) : bytes;
}
