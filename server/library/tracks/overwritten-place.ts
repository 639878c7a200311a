// The source id of a track whose file was overwritten with other music, which has a track of its own there. It begins
// with a hidden folder, so it is that of no file, and says what was overwritten.
import type { TrackId } from '../../db/ids.ts';

/** First part of such source ids. */
export const OVERWRITTEN = '.overwritten';
/** First part of the source ids of tracks that were separated, and in whose place another track was by then. */
export const SEPARATED = '.separated';
const PLACE = /^\.(?:overwritten|separated)\/\d+\/(.+)$/s;

export const overwrittenPlace = (id: TrackId, sourceId: string): string =>
  sourceId.startsWith(`${OVERWRITTEN}/`) ? sourceId : `${OVERWRITTEN}/${id}/${sourceId}`;

export const separatedPlace = (id: TrackId, sourceId: string): string => `${SEPARATED}/${id}/${sourceId}`;

/** Returns the source id that such a track had; undefined for any other track. */
export const formerPlace = (sourceId: string): string | undefined => PLACE.exec(sourceId)?.[1];
