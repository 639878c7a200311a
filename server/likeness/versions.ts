// The same song again: what is the same recording by its fingerprint, and what has the same title and says itself, or
// shows by its artists, which version it is.
import type { TrackId } from '../db/ids.ts';
import { sortKey } from '../library/sort-and-identity-keys.ts';
import type { Statements } from '../library/statement-cache.ts';
import type { VERSION_KINDS } from './wire.ts';

export type VersionKind = (typeof VERSION_KINDS)[number];

/** In brackets, or behind a dash, at the end of a title. */
const ADDITION = /(?:\(([^()]+)\)|\[([^[\]]+)\]|\s[-–—]\s([^-–—]+))$/;
const KINDS: readonly (readonly [VersionKind, RegExp])[] = [
  ['live', /\b(live|unplugged|in concert|bbc session|peel session)\b/i],
  ['remaster', /\bre-?master(ed|ing)?\b/i],
  ['remix', /\b(re-?mix|mix|dub|rework|edit)\b/i],
  ['acoustic', /\b(acoustic|piano|instrumental|demo|a ?cappella|orchestral|stripped)\b/i],
  ['version', /\b(version|take|mono|stereo|single|album|radio|extended|alternate|alternative|bonus|session)\b/i],
];
const MOST = 200;
/** A title that more artists have is a common one: theirs are other songs. */
const MOST_ARTISTS = 4;
const LENGTH_APART = 1.35;

const WITH_TITLE = `SELECT id, title, artist_id AS artistId, duration_ms AS durationMs FROM tracks
  WHERE title_sort >= @title AND title_sort < @title || char(0x10ffff) LIMIT ${MOST}`;
const SAME = `SELECT other_id AS id FROM duplicate_pairs WHERE track_id = @id
  UNION SELECT track_id FROM duplicate_pairs WHERE other_id = @id`;

interface Titled {
  id: TrackId;
  title: string;
  artistId: number | null;
  durationMs: number | null;
}

/** The title without what says which version it is, and what that says. */
function partsOfTitle(title: string): { song: string; kind: VersionKind | undefined } {
  let [song, kind]: [string, VersionKind | undefined] = [title, undefined];
  for (let found = ADDITION.exec(song); found; found = ADDITION.exec(song)) {
    const addition = found[1] ?? found[2] ?? found[3] ?? '';
    const named = KINDS.find(([, words]) => words.test(addition))?.[0];
    const isGuest = /^(feat|ft|featuring|with)\b/i.test(addition);
    if (named === undefined && !isGuest) break;
    if (found.index === 0) break;
    kind ??= named;
    song = song.slice(0, found.index).trimEnd();
  }
  return { song, kind };
}

export function findVersions(statements: Statements, track: Titled): { id: TrackId; kind: VersionKind }[] {
  const same = new Set(statements.column<TrackId>(SAME, { id: track.id }));
  const { song } = partsOfTitle(track.title);
  const key = sortKey(song);
  const all = statements
    .rows<Titled>(WITH_TITLE, { title: key })
    .filter(({ title }) => sortKey(partsOfTitle(title).song) === key);
  const isCommon = !key.includes(' ') || new Set(all.map(({ artistId }) => artistId)).size > MOST_ARTISTS;
  const titled = all.flatMap((other): { id: TrackId; kind: VersionKind }[] => {
    if (other.id === track.id || same.has(other.id)) return [];
    const isOwnArtist = other.artistId !== null && other.artistId === track.artistId;
    if (isOwnArtist) return [{ id: other.id, kind: partsOfTitle(other.title).kind ?? 'version' }];
    return !isCommon && areOfLikeLength(track, other) ? [{ id: other.id, kind: 'cover' }] : [];
  });
  return [...[...same].map((id) => ({ id, kind: 'same_recording' as const })), ...titled];
}

function areOfLikeLength({ durationMs: a }: Titled, { durationMs: b }: Titled): boolean {
  return a !== null && b !== null && Math.max(a, b) <= LENGTH_APART * Math.min(a, b);
}
