// The name under which a browser saves what it downloads (RFC 6266, RFC 8187), safe on every system it may be saved on.

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MAX_CHARACTERS = 120;

/** `attachment; filename="Name.m3u8"; filename*=UTF-8''…`: the first for old readers, in ASCII; the second exact. */
export function attachment(title: string, extension: string): string {
  const plain =
    [...title.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ')]
      .slice(0, MAX_CHARACTERS)
      .join('')
      .replace(/^[.\s]+|[.\s]+$/g, '') || 'unnamed';
  const name = `${plain}.${extension}`;
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x20-\x7e]|%/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
