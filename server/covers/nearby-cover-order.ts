// The names of picture files that may be the cover of an album or the picture of an artist.

/** Names of picture files, beginning with the preferred ones. */
const COVER_FILE_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumart_large', 'albumartsmall'];
/** The id in names that Windows Media Player gives, such as `AlbumArt_{1F2E…}_Large.jpg`. */
const PLAYER_ID = /^(albumart)_\{[0-9a-f-]{1,40}\}(_large)$/;

/** Names for pictures of artists, which Navidrome, Jellyfin, Kodi and Plex use too. */
const ARTIST_FILE_NAMES = ['artist', 'artist-poster'];

interface ImageName {
  name: string;
  extension: string;
}

/** Sorts the names of pictures that may be a cover, the best first, and leaves out the others. */
export function listCoverNames(names: readonly string[]): string[] {
  const images = names.map((name) => ({ name, extension: name.slice(name.lastIndexOf('.') + 1) }));
  const bestNames: string[] = [];
  for (let best = bestImage(images); best !== null;) {
    bestNames.push(best);
    best = bestImage(images.filter(({ name }) => !bestNames.includes(name)));
  }
  return bestNames;
}

export const bestImage = (images: readonly ImageName[]): string | null => findBestImage(images, COVER_FILE_NAMES);
export const bestArtistImage = (images: readonly ImageName[]): string | null =>
  findBestImage(images, ARTIST_FILE_NAMES);

function findBestImage(images: readonly ImageName[], names: readonly string[]): string | null {
  let bestName: string | null = null;
  let bestRank = names.length;
  for (const { name, extension } of images) {
    const rank = names.indexOf(
      name
        .slice(0, -extension.length - 1)
        .toLowerCase()
        .replace(PLAYER_ID, '$1$2'),
    );
    if (rank >= 0 && rank < bestRank) [bestName, bestRank] = [name, rank];
  }
  return bestName;
}
