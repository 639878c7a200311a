// The playlist files that can be read, by extension, and what desktops call them. Pure data: the desktop shell and the
// packages' file associations follow from it; what a file really is shows its content (playlist-file.ts).
export const PLAYLIST_FORMATS: Record<string, readonly string[]> = {
  m3u8: ['application/vnd.apple.mpegurl'],
  m3u: ['audio/x-mpegurl'],
  pls: ['audio/x-scpls'],
  xspf: ['application/xspf+xml'],
};
