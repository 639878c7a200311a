// Detects the type of a picture from its first bytes; the declared type is used only for pictures of unknown types.

/** Returns `image/jpeg`, `image/png`, `image/webp`, `image/gif`, or undefined. */
export function sniffPicture(bytes: Uint8Array, offset = 0): string | undefined {
  const firstByte = bytes[offset];
  if (firstByte === 0xff && bytes[offset + 1] === 0xd8 && bytes[offset + 2] === 0xff) return 'image/jpeg';
  if (firstByte === 0x89 && matches(bytes, offset + 1, 'PNG\r\n\x1a\n')) return 'image/png';
  if (firstByte === 0x47 && (matches(bytes, offset, 'GIF87a') || matches(bytes, offset, 'GIF89a'))) return 'image/gif';
  if (firstByte === 0x52 && matches(bytes, offset, 'RIFF') && matches(bytes, offset + 8, 'WEBP')) return 'image/webp';
  return undefined;
}

export function matches(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Normalizes a declared type: `JPG`, `image/jpg` and `IMAGE/JPEG` become `image/jpeg`. */
export function declaredMime(declaredType: string): string {
  const lowerType = declaredType
    .toLowerCase()
    .replace(/^image\//, '')
    .trim();
  if (lowerType === 'jpg' || lowerType === 'jpeg' || lowerType === 'pjpeg') return 'image/jpeg';
  return /^[a-z0-9.+-]{1,30}$/.test(lowerType) ? `image/${lowerType}` : 'application/octet-stream';
}
