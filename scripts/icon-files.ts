// The two containers in which Windows and macOS keep an icon in several sizes. Both contain PNG files.
export interface IconPicture {
  size: number;
  png: Buffer;
}

/**
 * Returns an ICO file: six bytes of header, sixteen bytes per picture, then the pictures. A size of 256 is written as
 * 0.
 */
export function toIco(pictures: IconPicture[]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2); // type 1 is an icon, not a cursor
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [n, { size, png }] of pictures.entries()) {
    const entryOffset = 6 + 16 * n;
    head.writeUInt8(size % 256, entryOffset);
    head.writeUInt8(size % 256, entryOffset + 1);
    head.writeUInt16LE(1, entryOffset + 4); // number of colour planes
    head.writeUInt16LE(32, entryOffset + 6); // bits per pixel
    head.writeUInt32LE(png.length, entryOffset + 8);
    head.writeUInt32LE(offset, entryOffset + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...pictures.map(({ png }) => png)]);
}

/**
 * Names of the ICNS entries that contain PNG, by pixels. ic10 to ic14 contain the double-density picture of half the
 * size.
 */
const ICNS_TYPES: Record<number, string[]> = {
  32: ['ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};

export function toIcns(pictures: IconPicture[]): Buffer {
  const entries = pictures.flatMap(({ size, png }) => (ICNS_TYPES[size] ?? []).map((type) => block(type, png)));
  return block('icns', Buffer.concat(entries));
}

function block(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(head.length + content.length, 4);
  return Buffer.concat([head, content]);
}
