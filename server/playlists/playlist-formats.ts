// Readable playlist formats by extension, with their MIME types. The desktop app and its file associations are derived
// from this table; the parser detects the format by the content (playlist-file.ts).
export const PLAYLIST_FORMATS: Record<string, readonly string[]> = {
  m3u8: ['application/vnd.apple.mpegurl'],
  m3u: ['audio/x-mpegurl'],
  pls: ['audio/x-scpls'],
  xspf: ['application/xspf+xml'],
};

/** Extensions of the playlist files that scans read: also Navidrome's smart playlists, which nobody uploads. */
export const PLAYLIST_EXTENSIONS: ReadonlySet<string> = new Set([...Object.keys(PLAYLIST_FORMATS), 'nsp']);
