// Packs a beat grid into two bytes per beat: the first beat in milliseconds as 32 bits, then each distance to the next
// beat as 16 bits.

export function packBeats(times: Float64Array): Buffer | null {
  if (times.length === 0) return null;
  const ms = Array.from(times, (time) => Math.round(time * 1_000));
  const bytes = Buffer.alloc(2 + 2 * ms.length);
  bytes.writeUInt32LE(ms[0] as number, 0);
  for (let i = 1; i < ms.length; i++)
    bytes.writeUInt16LE(Math.min(0xffff, (ms[i] as number) - (ms[i - 1] as number)), 2 + 2 * i);
  return bytes;
}

/** Returns the times of the beats in milliseconds from the beginning of the track. */
export function unpackBeats(bytes: Uint8Array | null): number[] {
  if (!bytes || bytes.length < 4) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const times = [view.getUint32(0, true)];
  for (let offset = 4; offset + 2 <= bytes.length; offset += 2)
    times.push((times.at(-1) as number) + view.getUint16(offset, true));
  return times;
}
