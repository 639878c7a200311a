// Detects the type of a picture from its first bytes; the declared type is used only for pictures of unknown types.

/** Returns `image/jpeg`, `image/png`, `image/webp`, `image/gif`, or undefined. */
export function sniffPicture(bytes: Uint8Array, at = 0): string | undefined {
  const firstByte = bytes[at];
  if (firstByte === 0xff && bytes[at + 1] === 0xd8 && bytes[at + 2] === 0xff) return 'image/jpeg';
  if (firstByte === 0x89 && matches(bytes, at + 1, 'PNG\r\n\x1a\n')) return 'image/png';
  if (firstByte === 0x47 && (matches(bytes, at, 'GIF87a') || matches(bytes, at, 'GIF89a'))) return 'image/gif';
  if (firstByte === 0x52 && matches(bytes, at, 'RIFF') && matches(bytes, at + 8, 'WEBP')) return 'image/webp';
  return undefined;
}

export function matches(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Normalizes a declared type: `JPG`, `image/jpg` and `IMAGE/JPEG` become `image/jpeg`. */
export function declaredMime(declared: string): string {
  const lower = declared
    .toLowerCase()
    .replace(/^image\//, '')
    .trim();
  if (lower === 'jpg' || lower === 'jpeg' || lower === 'pjpeg') return 'image/jpeg';
  return /^[a-z0-9.+-]{1,30}$/.test(lower) ? `image/${lower}` : 'application/octet-stream';
}
