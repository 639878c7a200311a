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
  for (let offset = 0; offset < file.length;) {
    const lacing = file.subarray(offset + 27, offset + 27 + (file[offset + 26] ?? 0));
    const bodyAt = offset + 27 + lacing.length;
    const end = bodyAt + lacing.reduce((sum, n) => sum + n, 0);
    pages.push({
      flags: file[offset + 5] ?? 0,
      granule: file.readBigInt64LE(offset + 6),
      serial: file.readUInt32LE(offset + 14),
      lacing,
      body: file.subarray(bodyAt, end),
    });
    offset = end;
  }
  return pages;
}

/** Joins pages with new page numbers and checksums. */
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

/** Writes packets on as many pages as needed, with at most `segments` of 255 bytes on each. */
export function paged(packets: readonly Buffer[], serial: number, segments = 255): OggPage[] {
  const allSegments = packets.flatMap((packet) => [
    ...Array<number>(Math.floor(packet.length / 255)).fill(255),
    packet.length % 255,
  ]);
  const bytes = Buffer.concat(packets);
  const pages: OggPage[] = [];
  for (let segmentIndex = 0, packetIndex = 0; segmentIndex < allSegments.length; segmentIndex += segments) {
    const lacing = Buffer.from(allSegments.slice(segmentIndex, segmentIndex + segments));
    const body = bytes.subarray(packetIndex, packetIndex + lacing.reduce((sum, length) => sum + length, 0));
    const isContinued = segmentIndex > 0 && allSegments[segmentIndex - 1] === 255;
    const endsPacket = lacing.some((length) => length < 255);
    pages.push({ flags: isContinued ? 1 : 0, granule: endsPacket ? 0n : -1n, serial, lacing, body });
    packetIndex += body.length;
  }
  return pages;
}

/** Returns the complete packets on the pages. */
export function packetsOf(pages: readonly OggPage[]): Buffer[] {
  const packets: Buffer[] = [];
  let parts: Buffer[] = [];
  for (const { lacing, body } of pages) {
    let offset = 0;
    for (const length of lacing) {
      parts.push(body.subarray(offset, offset + length));
      offset += length;
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
