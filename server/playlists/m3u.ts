// Writes M3U8 playlist files.

interface M3uTrack {
  path: string;
  title: string;
  artistName: string | null;
  albumTitle: string | null;
  durationMs: number | null;
}

export const m3uHead = (name: string): string => `#EXTM3U\n#PLAYLIST:${inLine(name)}\n`;

export function m3uEntry({ path, title, artistName, albumTitle, durationMs }: M3uTrack): string {
  const seconds = durationMs === null ? -1 : Math.round(durationMs / 1_000);
  const description = inLine(artistName ? `${artistName} - ${title}` : title);
  const album = albumTitle ? `#EXTALB:${inLine(albumTitle)}\n` : '';
  const place = inLine(path);
  // a line that starts with # is a comment
  return `#EXTINF:${seconds},${description}\n${album}${place.startsWith('#') ? './' : ''}${place}\n`;
}

const inLine = (text: string): string => text.toWellFormed().replace(/[\r\n\0]+/g, ' ');
