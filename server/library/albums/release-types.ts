// The release types of an album (such as `album`, `ep`, `live`), in MusicBrainz's words, as the files' tags state them.
import type { MoreTags } from '../../db/more-tags.ts';
import { separateValues } from '../tracks/separate-values.ts';

const PRIMARY_TYPES: ReadonlySet<string> = new Set(['album', 'ep', 'single', 'broadcast', 'other']);

/** Returns the types in lower case, the primary one first; empty when the files do not say it. */
export function releaseTypes({ releaseType }: MoreTags, isCompilation: boolean): string[] {
  const types = separateValues(releaseType, /[;,/+\0]/).map((type) => type.toLowerCase());
  if (types.length === 0) return isCompilation ? ['album', 'compilation'] : [];
  const rank = (type: string): number => (PRIMARY_TYPES.has(type) ? 0 : 1);
  return [...new Set(types)].toSorted((type, otherType) => rank(type) - rank(otherType));
}
