// Readable playlist formats by extension, with their MIME types. The desktop app and its file associations are derived
// from this table; the parser detects the format by the content (playlist-file.ts).
export const PLAYLIST_FORMATS: Record<string, readonly string[]> = {
  m3u8: ['application/vnd.apple.mpegurl'],
  m3u: ['audio/x-mpegurl'],
  pls: ['audio/x-scpls'],
  xspf: ['application/xspf+xml'],
};
