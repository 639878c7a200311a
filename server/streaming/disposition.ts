// The file name that a browser proposes for a track (RFC 6266, RFC 8187), safe on every system it may be saved on.

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MAX_CHARACTERS = 120;

export interface Named {
  title: string;
  artistName: string | null;
  format: string | null;
}

/**
 * `inline; filename="Artist - Title.mp3"; filename*=UTF-8''…`: the first for old clients, in ASCII; the second exact.
 */
export const inlineDisposition = (named: Named): string => dispositionOf('inline', named);
export const attachmentDisposition = (named: Named): string => dispositionOf('attachment', named);

function dispositionOf(kind: 'inline' | 'attachment', { title, artistName, format }: Named): string {
  const whole = artistName ? `${artistName} - ${title}` : title;
  const plain =
    [...whole.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ')]
      .slice(0, MAX_CHARACTERS)
      .join('')
      .replace(/^[.\s]+|[.\s]+$/g, '') || 'track';
  const name = format ? `${plain}.${format}` : plain;
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x20-\x7e]|%/g, '_');
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encodeExact(name)}`;
}

/** encodeURIComponent leaves a few characters that RFC 8187 does not allow. */
const encodeExact = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
