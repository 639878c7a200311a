// Clients of Subsonic get this picture where there is no cover, in the sizes of covers. It is a single picture, so all
// of its sizes stay in memory.
import { readFile, stat } from 'node:fs/promises';
import type { BytesSource } from '../http/send-bytes.ts';
import { LARGEST_COVER, nearestSize } from './cover-sizes.ts';
import { resizePicture } from './picture.ts';

/** `size`: the longest side in pixels; undefined for the file as it is. */
export type EmptyCover = (size: number | undefined) => Promise<BytesSource>;

export function createEmptyCover(path: string): EmptyCover {
  const drawn = new Map<number, Promise<{ bytes: Buffer; modifiedAt: Date }>>();

  async function draw(size: number): Promise<{ bytes: Buffer; modifiedAt: Date }> {
    const { mtime: modifiedAt } = await stat(path);
    return { bytes: await resizePicture(await readFile(path), size, 'jpeg'), modifiedAt };
  }

  return async (size) => {
    const nearest = nearestSize(size ?? LARGEST_COVER);
    if (nearest === LARGEST_COVER) return { path };
    const drawing = drawn.get(nearest) ?? draw(nearest);
    drawn.set(nearest, drawing);
    try {
      return await drawing;
    } catch (error) {
      drawn.delete(nearest); // it may be readable another time
      throw error;
    }
  };
}
