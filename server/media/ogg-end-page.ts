// The last page of a padded Ogg stream. Players read the end of a file to tell its duration, and find no page in zeros.

export const OGG_PAGE_BYTES = 27;
const GRANULE_OFFSET = 6;
const SEQUENCE_OFFSET = 18;
const CRC_OFFSET = 22;
const CRC_POLYNOMIAL = 0x04c11db7;

/**
 * Returns an empty page that follows the last page in `end`, the end of an Ogg stream: it repeats the position of that
 * page in the audio. Returns undefined when `end` has no page.
 */
export function oggEndPage(end: Buffer): Buffer | undefined {
  const last = end.lastIndexOf('OggS');
  if (last < 0 || last + OGG_PAGE_BYTES > end.length) return undefined;
  const page = Buffer.alloc(OGG_PAGE_BYTES);
  page.write('OggS', 0, 'latin1');
  end.copy(page, GRANULE_OFFSET, last + GRANULE_OFFSET, last + CRC_OFFSET); // position, stream and sequence number
  page.writeUInt32LE((page.readUInt32LE(SEQUENCE_OFFSET) + 1) % 2 ** 32, SEQUENCE_OFFSET);
  page.writeUInt32LE(oggChecksum(page), CRC_OFFSET);
  return page;
}

/** Returns the checksum of a page whose own checksum is 0 (RFC 3533, section 6). */
export function oggChecksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ CRC_POLYNOMIAL : crc << 1;
  }
  return crc >>> 0;
}
