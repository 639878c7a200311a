// Detects the encoding of a playlist file: by its BOM, by NULs as in UTF-16, as UTF-8 if valid, else as Windows-1252.

export function decodePlaylistText(bytes: Uint8Array): string {
  return decode(bytes).replaceAll('\0', '').toWellFormed();
}

function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const utf16 = detectUtf16(bytes);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes); // this encoding accepts every byte
  }
}

/** Detects UTF-16 without a BOM: in Latin text nearly every second byte is NUL. */
function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, 512);
  if (sample.length < 4) return undefined;
  let evenNuls = 0;
  let oddNuls = 0;
  sample.forEach((byte, index) => {
    if (byte !== 0) return;
    if (index % 2 === 0) evenNuls++;
    else oddNuls++;
  });
  const minNuls = sample.length * 0.4;
  return oddNuls > minNuls && evenNuls === 0
    ? 'utf-16le'
    : evenNuls > minNuls && oddNuls === 0
      ? 'utf-16be'
      : undefined;
}
