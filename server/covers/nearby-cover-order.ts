// The order in which an album's cover is looked for. A cover that a person chose (`manual`) is never replaced.

/**
 * Where a cover is looked for in local files: first in the tags, then in the album's folder, or in the folder above it
 * if that contains the folders of discs. The cover archive comes last, in a job of its own (`tasks.ts`), because it is
 * slow.
 */
export const NEARBY_ORDER = ['embedded', 'folder'] as const;

/** Names of picture files, beginning with the preferred ones. */
const COVER_FILE_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumartsmall'];

/** Names for pictures of artists, which Navidrome, Jellyfin, Kodi and Plex use too. */
const ARTIST_FILE_NAMES = ['artist', 'artist-poster'];

interface ImageName {
  name: string;
  extension: string;
}

export const bestImage = (images: readonly ImageName[]): string | null => findBestImage(images, COVER_FILE_NAMES);
export const bestArtistImage = (images: readonly ImageName[]): string | null =>
  findBestImage(images, ARTIST_FILE_NAMES);

function findBestImage(images: readonly ImageName[], names: readonly string[]): string | null {
  let bestName: string | null = null;
  let bestRank = names.length;
  for (const { name, extension } of images) {
    const rank = names.indexOf(name.slice(0, -extension.length - 1).toLowerCase());
    if (rank >= 0 && rank < bestRank) [bestName, bestRank] = [name, rank];
  }
  return bestName;
}
