// Detects the encoding of a playlist file: by its BOM, by NULs as in UTF-16, as UTF-8 if valid, else as Windows-1252.

export function decodePlaylistText(bytes: Uint8Array): string {
  return decode(bytes).replaceAll('\0', '').toWellFormed();
}

function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const utf16 = utf16Without(bytes);
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes); // accepts every byte
  }
}

/** UTF-16 without a BOM: in Latin text nearly every second byte is NUL. */
function utf16Without(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, 512);
  if (sample.length < 4) return undefined;
  let even = 0;
  let odd = 0;
  sample.forEach((byte, at) => {
    if (byte !== 0) return;
    if (at % 2 === 0) even++;
    else odd++;
  });
  const most = sample.length * 0.4;
  return odd > most && even === 0 ? 'utf-16le' : even > most && odd === 0 ? 'utf-16be' : undefined;
}
