// The picture that Subsonic clients get where there is no cover, in the sizes of covers. It is a single picture, so all
// its sizes stay in memory.
import { readFile, stat } from 'node:fs/promises';
import type { BytesSource } from '../http/send-bytes.ts';
import { LARGEST_COVER, nearestSize } from './cover-sizes.ts';
import { resizePicture } from './picture.ts';

/** Returns the picture. `size` is the longest side in pixels; undefined returns the file as it is. */
export type EmptyCover = (size: number | undefined) => Promise<BytesSource>;

export function createEmptyCover(path: string): EmptyCover {
  const picturesBySize = new Map<number, Promise<{ bytes: Buffer; modifiedAt: Date }>>();

  async function resizeTo(size: number): Promise<{ bytes: Buffer; modifiedAt: Date }> {
    const { mtime: modifiedAt } = await stat(path);
    return { bytes: await resizePicture(await readFile(path), size, 'jpeg'), modifiedAt };
  }

  return async (size) => {
    const nearestPx = nearestSize(size ?? LARGEST_COVER);
    if (nearestPx === LARGEST_COVER) return { path };
    const picture = picturesBySize.get(nearestPx) ?? resizeTo(nearestPx);
    picturesBySize.set(nearestPx, picture);
    try {
      return await picture;
    } catch (error) {
      picturesBySize.delete(nearestPx); // failures are not cached, because the file may be readable next time
      throw error;
    }
  };
}
