// The source id of a track whose file was overwritten with other music, which is a separate track. The id begins with a
// hidden folder, so that no file can have it, followed by the path of the overwritten file.
import type { TrackId } from '../../db/ids.ts';

/** First part of the source ids of tracks whose file was overwritten. */
export const OVERWRITTEN = '.overwritten';
/** First part of the source ids of tracks that were separated while another track already had their place. */
export const SEPARATED = '.separated';
const PLACE = /^\.(?:overwritten|separated)\/\d+\/(.+)$/s;

export const overwrittenPlace = (id: TrackId, sourceId: string): string =>
  sourceId.startsWith(`${OVERWRITTEN}/`) ? sourceId : `${OVERWRITTEN}/${id}/${sourceId}`;

export const separatedPlace = (id: TrackId, sourceId: string): string => `${SEPARATED}/${id}/${sourceId}`;

/** Returns the source id that such a track had before; undefined for any other track. */
export const formerPlace = (sourceId: string): string | undefined => PLACE.exec(sourceId)?.[1];
