// Reads once more what a file of the library says about itself, for rooms that know nothing of reading threads.
import { basename, dirname } from 'node:path';
import type { TrackIdentity } from '../library/track-writer.ts';
import { UnreadableAudio } from '../media/types.ts';
import { toIdentity } from './track-draft.ts';
import type { ReaderPool } from './reader-pool.ts';

/**
 * Lyrics are left out: the scan has read them, with those beside the file. `sourceId` gives a title where the tags have
 * none. Throws UnreadableAudio, or `unavailable` when nothing can be read at all.
 */
export const createTagReader =
  ({ reader }: { reader: Pick<ReaderPool, 'read'> }) =>
  async (path: string, sourceId: string): Promise<TrackIdentity> => {
    const [result] = await reader.read({
      root: dirname(path),
      paths: [basename(path)],
      copyTo: null,
      hashLarge: false,
    });
    if (!result?.ok) throw new UnreadableAudio(result?.reason ?? 'the reader gave nothing');
    return { ...toIdentity(result.read, sourceId), lyrics: undefined };
  };
