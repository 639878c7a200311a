// Compares a track's metadata before and after an edit, undoes single fields, and keeps manual edits when the other
// fields are replaced. Pure functions.
import { tracks } from '../../db/schema.ts';
import { FIELD_LIST } from '../../db/track-fields.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import { ALBUM_TAGS, TYPED_RELEASE, type TrackIdentity } from '../tracks/track-values.ts';

/** A changed field as users see it: its values as text, under its API name. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

type Key = keyof TrackIdentity;

const KEY_OF_FIELD = new Map<string, Key>([
  ['title', 'title'],
  ['artist', 'artist'],
  ['artists', 'artists'],
  ['album', 'album'],
  ['album_artist', 'albumArtist'],
  ['compilation', 'compilation'],
  ['genre', 'genres'],
  ['edition', 'edition'],
  ['release_types', 'releaseType'],
  ['album_sort', 'albumSort'],
  ...FIELD_LIST.map((field): [string, Key] => [tracks[field].name, field]),
]);
/** Fields that are undone together: the artists and their credit. */
const ARTIST_FIELDS = new Set(['artist', 'artists']);
const ORIGIN_OF: Record<string, string> = { artists: 'artist', genres: 'genre' };
/** Fields that share the origin of another field. */
const ORIGIN_FIELD_OF: Record<string, string> = { ...ORIGIN_OF, albumArtist: 'album', compilation: 'album' };

function textOf(identity: TrackIdentity, key: Key): string | null {
  const value = identity[key] as string | number | boolean | readonly string[] | null | undefined;
  return value === undefined || value === null ? null : typeof value === 'object' ? value.join('; ') : String(value);
}

/** Returns the text of a field by its API name; null for an unknown field. */
export function fieldText(identity: TrackIdentity, field: string): string | null {
  const key = KEY_OF_FIELD.get(field);
  return (key && textOf(identity, key)) || null;
}

export const changesOf = (oldIdentity: TrackIdentity, newIdentity: TrackIdentity): FieldChange[] =>
  [...KEY_OF_FIELD].flatMap(([field, key]) => {
    const [oldText, newText] = [textOf(oldIdentity, key), textOf(newIdentity, key)].map((text) => text || null) as [
      string,
      string,
    ];
    return oldText === newText ? [] : [{ field, before: oldText, after: newText }];
  });

/** Returns the fields that an edit set to the value that they already had, by their API names. */
export const confirmedFields = (oldIdentity: TrackIdentity, newIdentity: TrackIdentity): string[] =>
  [...KEY_OF_FIELD].flatMap(([field, key]) => {
    const name = ORIGIN_FIELD_OF[key] ?? key;
    const isTyped = newIdentity.provenance?.[name] === 'manual' && oldIdentity.provenance?.[name] !== 'manual';
    return isTyped && textOf(oldIdentity, key) === textOf(newIdentity, key) ? [field] : [];
  });

interface BeforeEdit {
  identity: TrackIdentity;
  after?: Partial<TrackIdentity>;
}

/** Undoes changes. `laterChanges` are the fields that were changed again since, with their current values. */
export function takeBack(
  changes: readonly FieldChange[],
  { identity: oldIdentity, after = {} }: BeforeEdit,
  currentIdentity: TrackIdentity,
): { target: TrackIdentity; laterChanges: FieldChange[] } {
  const valueOf = (field: string): string | null | undefined => {
    const key = KEY_OF_FIELD.get(field);
    return key && (textOf(currentIdentity, key) || null);
  };
  const isChangedSince = (change: FieldChange): boolean => valueOf(change.field) !== (change.after || null);
  const isArtistChangedSince = changes.some((change) => ARTIST_FIELDS.has(change.field) && isChangedSince(change));
  const isKept = (change: FieldChange): boolean =>
    isChangedSince(change) || (isArtistChangedSince && ARTIST_FIELDS.has(change.field));
  const target: TrackIdentity = { ...currentIdentity, provenance: { ...currentIdentity.provenance } };
  for (const { field } of changes.filter((change) => !isKept(change))) {
    const key = KEY_OF_FIELD.get(field);
    if (key !== undefined) copyField(key, oldIdentity, target);
  }
  // the edit may have changed only the origin of some of these fields
  for (const key of KEY_OF_FIELD.values())
    if (textOf(target, key) === textOf(oldIdentity, key)) copyOrigin(key, oldIdentity, target);
  // values that belong to the album as a whole are restored together with its name
  const album = [oldIdentity, currentIdentity].find((identity) => isSameAlbum(identity, target));
  target.albumArtists = album?.albumArtists;
  target.compilation = album?.compilation;
  target.releaseGroupMbid = album?.releaseGroupMbid;
  target.releaseMbid = album?.releaseMbid;
  copyOrigin(TYPED_RELEASE, album ?? oldIdentity, target);
  for (const id of ['recordingMbid', 'acoustidId'] as const)
    if (id in after && currentIdentity[id] === after[id]) target[id] = oldIdentity[id];
  const laterChanges = changes.flatMap((change) => {
    const value = valueOf(change.field);
    const isOldValue = value === undefined || value === (change.before || null);
    return isKept(change) && !isOldValue ? [{ field: change.field, before: change.before, after: value }] : [];
  });
  return { target, laterChanges };
}

/** The keys whose values have the same origin as the named field, and are copied with it. */
const KEYS_OF_ORIGIN: Record<string, readonly Key[]> = {
  artist: ['artist', 'artists'],
  album: ['album', 'albumArtist', 'albumArtists', 'compilation', 'releaseGroupMbid', 'releaseMbid'],
  genre: ['genres'],
};
const EDITABLE_FIELDS = new Set(['title', ...Object.keys(KEYS_OF_ORIGIN), ...FIELD_LIST, ...ALBUM_TAGS]);

/** Returns the fields that were edited manually in `identity`, but in `other` not at all or to another value. */
export const editedFields = (identity: TrackIdentity, otherIdentity: TrackIdentity): string[] =>
  Object.entries(identity.provenance ?? {})
    .filter(([field, origin]) => origin === 'manual' && EDITABLE_FIELDS.has(field))
    .map(([field]) => field)
    .filter(
      (field) =>
        otherIdentity.provenance?.[field] !== 'manual' ||
        (KEYS_OF_ORIGIN[field] ?? [field as Key]).some((key) => textOf(identity, key) !== textOf(otherIdentity, key)),
    );

/** Returns `to`, with the fields that were edited manually in `from` but not in `to`. */
export function withEditsOf(from: TrackIdentity, to: TrackIdentity): TrackIdentity {
  const editedNames = Object.entries(from.provenance ?? {})
    .filter(
      ([field, origin]) => origin === 'manual' && to.provenance?.[field] !== 'manual' && EDITABLE_FIELDS.has(field),
    )
    .map(([field]) => field);
  if (editedNames.length === 0) return to;
  const target = { ...to, provenance: { ...to.provenance } };
  for (const field of editedNames) {
    for (const key of KEYS_OF_ORIGIN[field] ?? [field as Key]) copyField(key, from, target);
    target.provenance[field] = 'manual';
    if (field === 'album') copyOrigin(TYPED_RELEASE, from, target);
  }
  return target;
}

function copyField<K extends Key>(key: K, from: TrackIdentity, to: TrackIdentity): void {
  to[key] = from[key];
}

function copyOrigin(key: string, from: TrackIdentity, to: TrackIdentity): void {
  const name = ORIGIN_OF[key] ?? key;
  const origin = from.provenance?.[name];
  if (origin === undefined) delete to.provenance?.[name];
  else to.provenance = { ...to.provenance, [name]: origin };
}

const isSameAlbum = (a: TrackIdentity, b: TrackIdentity): boolean =>
  identityKey(a.album ?? '') === identityKey(b.album ?? '') &&
  identityKey(a.albumArtist ?? '') === identityKey(b.albumArtist ?? '');
