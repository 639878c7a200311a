// Splits Ogg files into packets and writes them again, with checksums, as tag editors do.

export interface OggPage {
  flags: number;
  granule: bigint;
  serial: number;
  lacing: Buffer;
  body: Buffer;
}

export function toPages(file: Buffer): OggPage[] {
  const pages: OggPage[] = [];
  for (let at = 0; at < file.length;) {
    const lacing = file.subarray(at + 27, at + 27 + (file[at + 26] ?? 0));
    const bodyAt = at + 27 + lacing.length;
    const end = bodyAt + lacing.reduce((sum, n) => sum + n, 0);
    pages.push({
      flags: file[at + 5] ?? 0,
      granule: file.readBigInt64LE(at + 6),
      serial: file.readUInt32LE(at + 14),
      lacing,
      body: file.subarray(bodyAt, end),
    });
    at = end;
  }
  return pages;
}

/** With new page numbers and checksums. */
export const fromPages = (pages: readonly OggPage[]): Buffer => Buffer.concat(pages.map(pageBytes));

function pageBytes({ flags, granule, serial, lacing, body }: OggPage, number: number): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS', 0, 'latin1');
  head[5] = flags;
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(number, 18);
  head[26] = lacing.length;
  const page = Buffer.concat([head, lacing, body]);
  page.writeUInt32LE(checksum(page), 22);
  return page;
}

/** Packets on as many pages as they need, at most `segments` of 255 bytes on each. */
export function paged(packets: readonly Buffer[], serial: number, segments = 255): OggPage[] {
  const all = packets.flatMap((packet) => [
    ...Array<number>(Math.floor(packet.length / 255)).fill(255),
    packet.length % 255,
  ]);
  const bytes = Buffer.concat(packets);
  const pages: OggPage[] = [];
  for (let n = 0, at = 0; n < all.length; n += segments) {
    const lacing = Buffer.from(all.slice(n, n + segments));
    const body = bytes.subarray(at, at + lacing.reduce((sum, length) => sum + length, 0));
    const isContinued = n > 0 && all[n - 1] === 255;
    const endsPacket = lacing.some((length) => length < 255);
    pages.push({ flags: isContinued ? 1 : 0, granule: endsPacket ? 0n : -1n, serial, lacing, body });
    at += body.length;
  }
  return pages;
}

/** The complete packets on the pages. */
export function packetsOf(pages: readonly OggPage[]): Buffer[] {
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  for (const { lacing, body } of pages) {
    let at = 0;
    for (const length of lacing) {
      parts.push(body.subarray(at, at + length));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(parts));
      parts = [];
    }
  }
  return packets;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

function checksum(page: Buffer): number {
  let value = 0;
  for (const byte of page) value = (value << 8) ^ (TABLE[((value >>> 24) ^ byte) & 0xff] ?? 0);
  return value >>> 0;
}
