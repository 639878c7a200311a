// The kind of release of an album. If its files do not state the kind, title and length determine it, with the limits
// that stores use: up to 3 tracks are a single, up to 6 tracks or 30 minutes are an EP. Pure.
import type { AlbumOut } from '../../../api/routes.ts';

export const RELEASE_KINDS = ['albums', 'eps', 'singles', 'live', 'compilations'] as const;
type ReleaseKind = (typeof RELEASE_KINDS)[number];

const MAX_SINGLE_TRACKS = 3;
const MAX_EP_TRACKS = 6;
const MAX_EP_MS = 30 * 60_000;

/** The first of these MusicBrainz types that an album has determines its kind. */
const KINDS_OF_TYPES: Record<string, ReleaseKind> = {
  compilation: 'compilations',
  live: 'live',
  single: 'singles',
  ep: 'eps',
  album: 'albums',
};

export function releaseKind({
  title,
  is_compilation,
  release_types: types,
  track_count,
  duration_ms,
}: AlbumOut): ReleaseKind {
  if (is_compilation) return 'compilations';
  for (const [type, kind] of Object.entries(KINDS_OF_TYPES)) if (types.includes(type)) return kind;
  if (/\bsingle\b\W*$/i.test(title)) return 'singles';
  if (/\be\.?p\.?\W*$/i.test(title)) return 'eps';
  if (track_count === 0 || duration_ms >= MAX_EP_MS) return 'albums';
  if (track_count <= MAX_SINGLE_TRACKS) return 'singles';
  return track_count <= MAX_EP_TRACKS ? 'eps' : 'albums';
}
