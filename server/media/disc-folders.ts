// Folders that hold one disc of an album, such as `CD1`, `Disc 2` or `CD 1 - Jupiter`.

const DISC_FOLDER = /^(?:dis[ck]|cd|dvd|vinyl|lp|side)(?!s\b)[\s._#-]*[0-9a-z]{1,3}(?:\s*[-–—:,([].*)?$/iu;

/** Returns whether this is the name of a disc's folder; `name` has no folders above it. */
export const isDiscFolder = (name: string): boolean => DISC_FOLDER.test(name);

/** Returns the folder of the whole album for the path of a disc. */
export const albumFolderOf = (path: string): string | undefined =>
  isDiscFolder(path.slice(path.lastIndexOf('/') + 1)) ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : undefined;
