// Finds other versions of a song: the same recording by its fingerprint, and tracks of the same title whose title
// addition or artist tells what kind of version they are.
import type { TrackId } from '../db/ids.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import type { VERSION_KINDS } from './wire.ts';

export type VersionKind = (typeof VERSION_KINDS)[number];

/** Matches an addition in brackets, or after a dash, at the end of a title. */
const ADDITION = /(?:\(([^()]+)\)|\[([^[\]]+)\]|\s[-–—]\s([^-–—]+))$/;
const KINDS: readonly (readonly [VersionKind, RegExp])[] = [
  ['live', /\b(live|unplugged|in concert|bbc session|peel session)\b/i],
  ['remaster', /\bre-?master(ed|ing)?\b/i],
  ['remix', /\b(re-?mix|mix|dub|rework|edit)\b/i],
  ['acoustic', /\b(acoustic|piano|instrumental|demo|a ?cappella|orchestral|stripped)\b/i],
  ['version', /\b(version|take|mono|stereo|single|album|radio|extended|alternate|alternative|bonus|session)\b/i],
];
const MAX_TRACKS_READ = 200;
/** A title that more artists than this have is a common title: their tracks are different songs. */
const MAX_ARTISTS = 4;
const MAX_LENGTH_RATIO = 1.35;

const TRACKS_WITH_TITLE = `SELECT id, title, artist_id AS artistId, duration_ms AS durationMs FROM tracks
  WHERE title_sort >= @title AND title_sort < @title || char(0x10ffff) LIMIT ${MAX_TRACKS_READ}`;
const SAME_RECORDINGS = `SELECT other_id AS id FROM duplicate_pairs WHERE track_id = @id
  UNION SELECT track_id FROM duplicate_pairs WHERE other_id = @id`;

interface TitledTrack {
  id: TrackId;
  title: string;
  artistId: number | null;
  durationMs: number | null;
}

/** Splits a title into the song and the kind of version that it names. */
function partsOfTitle(title: string): { song: string; kind: VersionKind | undefined } {
  let [song, kind]: [string, VersionKind | undefined] = [title, undefined];
  for (let match = ADDITION.exec(song); match; match = ADDITION.exec(song)) {
    const addition = match[1] ?? match[2] ?? match[3] ?? '';
    const namedKind = KINDS.find(([, words]) => words.test(addition))?.[0];
    const isGuest = /^(feat|ft|featuring|with)\b/i.test(addition);
    if (namedKind === undefined && !isGuest) break;
    if (match.index === 0) break;
    kind ??= namedKind;
    song = song.slice(0, match.index).trimEnd();
  }
  return { song, kind };
}

export function findVersions(statements: Statements, track: TitledTrack): { id: TrackId; kind: VersionKind }[] {
  const sameRecordings = new Set(statements.column<TrackId>(SAME_RECORDINGS, { id: track.id }));
  const { song } = partsOfTitle(track.title);
  const key = sortKey(song);
  const namesakes = statements
    .rows<TitledTrack>(TRACKS_WITH_TITLE, { title: key })
    .filter(({ title }) => sortKey(partsOfTitle(title).song) === key);
  const isCommon = !key.includes(' ') || new Set(namesakes.map(({ artistId }) => artistId)).size > MAX_ARTISTS;
  const otherVersions = namesakes.flatMap((namesake): { id: TrackId; kind: VersionKind }[] => {
    if (namesake.id === track.id || sameRecordings.has(namesake.id)) return [];
    const isOwnArtist = namesake.artistId !== null && namesake.artistId === track.artistId;
    if (isOwnArtist) return [{ id: namesake.id, kind: partsOfTitle(namesake.title).kind ?? 'version' }];
    return !isCommon && areOfLikeLength(track, namesake) ? [{ id: namesake.id, kind: 'cover' }] : [];
  });
  return [...[...sameRecordings].map((id) => ({ id, kind: 'same_recording' as const })), ...otherVersions];
}

function areOfLikeLength({ durationMs: a }: TitledTrack, { durationMs: b }: TitledTrack): boolean {
  return a !== null && b !== null && Math.max(a, b) <= MAX_LENGTH_RATIO * Math.min(a, b);
}
