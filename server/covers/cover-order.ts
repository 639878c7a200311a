// Where the cover of an album comes from, best first. One that a person chose (`manual`) is never replaced by a find.

/**
 * Local files: pictures in the tags, then in the album's folder, or in the folder above if that has discs. The cover
 * archive comes last, in a job of its own (`tasks.ts`), because it is slow.
 */
export const NEARBY_ORDER = ['embedded', 'folder'] as const;

/** Names of picture files, best first. */
const FILE_NAMES = ['cover', 'folder', 'front', 'album', 'albumart', 'albumartsmall'];

export function bestImage(images: readonly { name: string; extension: string }[]): string | null {
  let best: string | null = null;
  let rank = FILE_NAMES.length;
  for (const { name, extension } of images) {
    const at = FILE_NAMES.indexOf(name.slice(0, -extension.length - 1).toLowerCase());
    if (at >= 0 && at < rank) [best, rank] = [name, at];
  }
  return best;
}
