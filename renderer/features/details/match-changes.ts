// The changes that a match would make in a track, field by field. Pure.
import type { TrackFieldName } from '../../../server/library/wire.ts';
import type { MatchOut, TrackOut } from '../../api/routes.ts';
import { FIELD_NAMES } from '../../music/track-fields.ts';

export const COMPARED_FIELDS = ['title', 'artist', 'album', 'album_artist', ...FIELD_NAMES, 'genre'] as const;
export type FieldName = (typeof COMPARED_FIELDS)[number];
export interface Change {
  field: FieldName;
  before: string | null;
  after: string | null;
}

const text = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);

/** Returns the texts of all fields; a match has only some of them. */
const fields = (from: Partial<Record<TrackFieldName, string | number | null>>) =>
  Object.fromEntries(FIELD_NAMES.map((name) => [name, text(from[name])])) as Record<TrackFieldName, string | null>;

export const valuesOf = (track: TrackOut): Record<FieldName, string | null> => ({
  title: track.title,
  artist: text(track.artist_name),
  album: text(track.album_title),
  album_artist: text(track.album_artist_name),
  genre: text(track.genres.join(', ') || track.genre),
  ...fields(track),
});

/** Returns the changed fields; a field missing from the match stays unchanged. */
export function changesOf(track: TrackOut, match: MatchOut): Change[] {
  const current = valuesOf(track);
  const proposed: Record<FieldName, string | null> = {
    title: text(match.title),
    artist: text(match.artist_name),
    album: text(match.album_title),
    album_artist: text(match.album_artist_name),
    genre: text(match.genres.join(', ')),
    ...fields(match),
  };
  return COMPARED_FIELDS.flatMap((field) => {
    const value = proposed[field];
    return value === null || value === current[field] ? [] : [{ field, before: current[field], after: value }];
  });
}
