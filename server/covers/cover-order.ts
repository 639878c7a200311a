// Where the cover of an album comes from, best first. What a person chose (`manual`) is never replaced by a find.

/**
 * At hand: pictures inside the audio, then beside it (the album's folder, then the folder above when that holds discs).
 * The cover archive comes after both, as a job of its own (`tasks.ts`): it is slow, and not asked for what is here.
 */
export const NEARBY_ORDER = ['embedded', 'folder'] as const;

/** Names of pictures beside the audio. */
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
