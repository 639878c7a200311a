// Reads integers from bytes. Past the end these functions return 0, never NaN; callers check the length.

export const u16be = (b: Uint8Array, i: number): number => (((b[i] as number) << 8) | (b[i + 1] as number)) & 0xffff;
export const u24be = (b: Uint8Array, i: number): number =>
  ((b[i] as number) << 16) | ((b[i + 1] as number) << 8) | (b[i + 2] as number);
export const u32be = (b: Uint8Array, i: number): number =>
  (((b[i] as number) << 24) | ((b[i + 1] as number) << 16) | ((b[i + 2] as number) << 8) | (b[i + 3] as number)) >>> 0;
export const u64be = (b: Uint8Array, i: number): number => u32be(b, i) * 4294967296 + u32be(b, i + 4);

export const u16le = (b: Uint8Array, i: number): number => ((b[i] as number) | ((b[i + 1] as number) << 8)) & 0xffff;
export const u24le = (b: Uint8Array, i: number): number =>
  (b[i] as number) | ((b[i + 1] as number) << 8) | ((b[i + 2] as number) << 16);
export const u32le = (b: Uint8Array, i: number): number =>
  ((b[i] as number) | ((b[i + 1] as number) << 8) | ((b[i + 2] as number) << 16) | ((b[i + 3] as number) << 24)) >>> 0;
export const u64le = (b: Uint8Array, i: number): number => u32le(b, i + 4) * 4294967296 + u32le(b, i);

/** Reads ID3's 28 bits in four bytes; returns -1 if a high bit is set. */
export function syncsafe(b: Uint8Array, i: number): number {
  const word = u32be(b, i);
  if (word & 0x80808080) return -1;
  return ((word & 0x7f000000) >>> 3) | ((word & 0x7f0000) >>> 2) | ((word & 0x7f00) >>> 1) | (word & 0x7f);
}

/** Returns four characters as a number, for comparing without creating a string. */
export const fourCc = (name: string): number =>
  ((name.charCodeAt(0) << 24) | (name.charCodeAt(1) << 16) | (name.charCodeAt(2) << 8) | name.charCodeAt(3)) >>> 0;
/** Returns three characters as a number, for ID3v2.2 frame names. */
export const threeCc = (name: string): number =>
  (name.charCodeAt(0) << 16) | (name.charCodeAt(1) << 8) | name.charCodeAt(2);
