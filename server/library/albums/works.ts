// Groups the tracks of an album by the work that they belong to. Tags of works and movements are used by classical
// taggers; a work is shown only where its tracks are movements.
import type { AlbumId, TrackId } from '../../db/ids.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { albumPlace } from '../../db/album-place.ts';
import type { Statements } from '../lists/statement-cache.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

export interface Movement {
  trackId: TrackId;
  /** Null if the tags have only a number. */
  name: string | null;
  number: number | null;
}

/** Consecutive tracks of one work. */
export interface AlbumWork {
  name: string;
  mbid: string | null;
  composer: string | null;
  movements: Movement[];
}

interface Row {
  id: TrackId;
  composer: string | null;
  discNumber: number | null;
  tags: string | null;
}

const ROWS = `SELECT t.id, t.composer, t.disc_number AS discNumber, m.tags
  FROM tracks t LEFT JOIN more_tags m ON m.track_id = t.id
  WHERE t.album_id = @id AND t.album_sort <> '' ORDER BY ${albumPlace('t')}, t.id`;

/** Returns the works of an album, in its order. */
export function worksIn(statements: Statements, id: AlbumId): AlbumWork[] {
  const works: AlbumWork[] = [];
  let lastKey: string | undefined;
  for (const { id: trackId, composer, discNumber, tags } of statements.rows<Row>(ROWS, { id })) {
    const work = tags === null ? undefined : workOf(JSON.parse(tags) as MoreTags);
    const key = work && JSON.stringify([discNumber, identityKey(work.name), identityKey(composer ?? '')]);
    if (work && key !== lastKey) works.push({ name: work.name, mbid: work.mbid, composer, movements: [] });
    if (work) works.at(-1)?.movements.push({ trackId, name: work.movement, number: work.number });
    lastKey = key;
  }
  return works;
}

/**
 * Returns work and movement of a track; undefined unless its tags have a movement. Taggers from before the tag of works
 * write the work as grouping.
 */
export function workOf(tags: MoreTags) {
  const name = tags.work?.[0] ?? tags.grouping?.[0];
  const movement = tags.movement?.[0] ?? null;
  const { number } = movementNumbers(tags);
  if (name === undefined || (movement === null && number === undefined) || tags.showMovement?.[0] === '0')
    return undefined;
  return { name, mbid: tags.workMbid?.[0] ?? null, movement, number: number ?? null };
}

/** Parses `2` or `2/4`. */
export function movementNumbers({ movementNumber: [text = ''] = [], movementTotal: [total] = [] }: MoreTags) {
  const [number, count = total] = text.split('/');
  return { number: toPositive(number), count: toPositive(count) };
}
const toPositive = (text: string | undefined): number | undefined =>
  /^\s*\d{1,4}\s*$/.test(text ?? '') ? Number(text) || undefined : undefined;
