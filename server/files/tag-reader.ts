// Reads the tags of a file in the library again, for modules that do not use the reading thread themselves.
import { basename, dirname } from 'node:path';
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import { UnreadableAudio } from '../media/types.ts';
import { toIdentity } from './track-draft.ts';
import { isCharset } from '../media/charset.ts';
import { decodeTags } from '../media/unmarked-text.ts';
import type { ReaderPool } from './reader-pool.ts';

/**
 * Returns the function that reads the tags of a file, without lyrics: the scan reads them, also from files beside the
 * audio. `sourceId` gives the title if the tags have none, `previous` the charset of tags that do not declare theirs.
 * Throws UnreadableAudio, or `unavailable` when no file can be read.
 */
export const createTagReader =
  ({ reader }: { reader: Pick<ReaderPool, 'read'> }) =>
  async (path: string, sourceId: string, previous?: Pick<TrackIdentity, 'charset' | 'provenance'>) => {
    const [result] = await reader.read({
      root: dirname(path),
      paths: [basename(path)],
      copyTo: null,
      hashLarge: false,
    });
    if (!result?.ok) throw new UnreadableAudio(result?.reason ?? 'the reader returned nothing');
    const { charset, provenance } = previous ?? {};
    const content = isCharset(charset)
      ? { ...decodeTags(result.content, charset), isCharsetChosen: provenance?.['charset'] === 'manual' }
      : result.content;
    const identity: TrackIdentity = { ...toIdentity(content, sourceId), lyrics: undefined, chapters: undefined };
    return identity;
  };
