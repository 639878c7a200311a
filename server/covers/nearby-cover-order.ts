// Where the cover of an album comes from, best first. One that a person chose (`manual`) is never replaced by a find.

/**
 * Local files: pictures in the tags, then in the album's folder, or in the folder above if that has discs. The cover
 * archive comes last, in a job of its own (`tasks.ts`), because it is slow.
 */
export const NEARBY_ORDER = ['embedded', 'folder'] as const;

/** Names of picture files, best first. */
const FILE_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumartsmall'];

/** Of pictures of artists, which Navidrome, Jellyfin, Kodi and Plex look for too. */
const ARTIST_FILE_NAMES = ['artist', 'artist-poster'];

interface ImageName {
  name: string;
  extension: string;
}

export const bestImage = (images: readonly ImageName[]): string | null => bestNamed(images, FILE_NAMES);
export const bestArtistImage = (images: readonly ImageName[]): string | null => bestNamed(images, ARTIST_FILE_NAMES);

function bestNamed(images: readonly ImageName[], names: readonly string[]): string | null {
  let best: string | null = null;
  let rank = names.length;
  for (const { name, extension } of images) {
    const at = names.indexOf(name.slice(0, -extension.length - 1).toLowerCase());
    if (at >= 0 && at < rank) [best, rank] = [name, at];
  }
  return best;
}
