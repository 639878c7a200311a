// What kind of release an album is. No tag says so, so it is told from its title and length, with the limits that
// stores use: up to 3 tracks are a single, up to 6 tracks or 30 minutes are an EP. Pure.
import type { AlbumOut } from '../../../server/library/wire.ts';

export const RELEASE_KINDS = ['albums', 'eps', 'singles', 'compilations'] as const;
type ReleaseKind = (typeof RELEASE_KINDS)[number];

const MOST_OF_SINGLE = 3;
const MOST_OF_EP = 6;
const LONGEST_MS = 30 * 60_000;

export function releaseKind({ title, is_compilation, track_count, duration_ms }: AlbumOut): ReleaseKind {
  if (is_compilation) return 'compilations';
  if (/\bsingle\b\W*$/i.test(title)) return 'singles';
  if (/\be\.?p\.?\W*$/i.test(title)) return 'eps';
  if (track_count === 0 || duration_ms >= LONGEST_MS) return 'albums';
  if (track_count <= MOST_OF_SINGLE) return 'singles';
  return track_count <= MOST_OF_EP ? 'eps' : 'albums';
}
