// What an edit changes of a track's metadata, field by field, taking single fields back, and keeping what a person
// edited where the rest is replaced. Pure.
import { tracks } from '../db/schema.ts';
import { FIELD_LIST } from '../db/track-fields.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import { TYPED_RELEASE, type TrackIdentity } from './track-values.ts';

/** As it is shown: in text, by the names of the API. */
export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

type Key = keyof TrackIdentity;

const KEYS = new Map<string, Key>([
  ['title', 'title'],
  ['artist', 'artist'],
  ['artists', 'artists'],
  ['album', 'album'],
  ['album_artist', 'albumArtist'],
  ['genre', 'genres'],
  ...FIELD_LIST.map((field): [string, Key] => [tracks[field].name, field]),
]);
/** The names of the artists and how they are written say one thing. */
const TOGETHER = new Set(['artist', 'artists']);
const ORIGIN_OF: Record<string, string> = { artists: 'artist', genres: 'genre' };
/** Fields whose origin is that of another field. */
const NAMED_WITH: Record<string, string> = { ...ORIGIN_OF, albumArtist: 'album' };

function textOf(identity: TrackIdentity, key: Key): string | null {
  const value = identity[key] as string | number | boolean | readonly string[] | null | undefined;
  return value === undefined || value === null ? null : typeof value === 'object' ? value.join('; ') : String(value);
}

/** By the name of the API; null also for a field that there is not. */
export function fieldText(identity: TrackIdentity, field: string): string | null {
  const key = KEYS.get(field);
  return (key && textOf(identity, key)) || null;
}

export const changesOf = (before: TrackIdentity, after: TrackIdentity): FieldChange[] =>
  [...KEYS].flatMap(([field, key]) => {
    const [old, now] = [textOf(before, key), textOf(after, key)].map((text) => text || null) as [string, string];
    return old === now ? [] : [{ field, before: old, after: now }];
  });

/** Fields that an edit set to the value that they had before, by the name of the API. */
export const confirmedFields = (before: TrackIdentity, after: TrackIdentity): string[] =>
  [...KEYS].flatMap(([field, key]) => {
    const name = NAMED_WITH[key] ?? key;
    const isTyped = after.provenance?.[name] === 'manual' && before.provenance?.[name] !== 'manual';
    return isTyped && textOf(before, key) === textOf(after, key) ? [field] : [];
  });

interface BeforeEdit {
  identity: TrackIdentity;
  after?: Partial<TrackIdentity>;
}

/** `kept`: what was changed again since, and what it is now. */
export function takeBack(
  changes: readonly FieldChange[],
  { identity: before, after = {} }: BeforeEdit,
  now: TrackIdentity,
): { target: TrackIdentity; kept: FieldChange[] } {
  const valueOf = (field: string): string | null | undefined => {
    const key = KEYS.get(field);
    return key && (textOf(now, key) || null);
  };
  const isOther = (one: FieldChange): boolean => valueOf(one.field) !== (one.after || null);
  const isArtistOther = changes.some((one) => TOGETHER.has(one.field) && isOther(one));
  const stays = (one: FieldChange): boolean => isOther(one) || (isArtistOther && TOGETHER.has(one.field));
  const target: TrackIdentity = { ...now, provenance: { ...now.provenance } };
  for (const { field } of changes.filter((one) => !stays(one))) {
    const key = KEYS.get(field);
    if (key !== undefined) copyField(key, before, target);
  }
  // also of fields that the edit only confirmed
  for (const key of KEYS.values()) if (textOf(target, key) === textOf(before, key)) copyOrigin(key, before, target);
  // what the album is besides its name goes with the name
  const album = [before, now].find((one) => isSameAlbum(one, target));
  target.compilation = album?.compilation;
  target.releaseGroupMbid = album?.releaseGroupMbid;
  target.releaseMbid = album?.releaseMbid;
  copyOrigin(TYPED_RELEASE, album ?? before, target);
  for (const id of ['recordingMbid', 'acoustidId'] as const)
    if (id in after && now[id] === after[id]) target[id] = before[id];
  const kept = changes.flatMap((one) => {
    const value = valueOf(one.field);
    const isBefore = value === undefined || value === (one.before || null);
    return stays(one) && !isBefore ? [{ field: one.field, before: one.before, after: value }] : [];
  });
  return { target, kept };
}

/** What is not a field of its own goes with the name that it belongs to. */
const WITH_ORIGIN: Record<string, readonly Key[]> = {
  artist: ['artist', 'artists'],
  album: ['album', 'albumArtist', 'compilation', 'releaseGroupMbid', 'releaseMbid'],
  genre: ['genres'],
};
const EDITED = new Set(['title', ...Object.keys(WITH_ORIGIN), ...FIELD_LIST]);

/** Fields that were edited by hand in `identity`, and not in `other`, or to another value. */
export const editedFields = (identity: TrackIdentity, other: TrackIdentity): string[] =>
  Object.entries(identity.provenance ?? {})
    .filter(([field, origin]) => origin === 'manual' && EDITED.has(field))
    .map(([field]) => field)
    .filter(
      (field) =>
        other.provenance?.[field] !== 'manual' ||
        (WITH_ORIGIN[field] ?? [field as Key]).some((key) => textOf(identity, key) !== textOf(other, key)),
    );

/** `to`, with the fields that were edited by hand in `from` and not in `to`. */
export function withEditsOf(from: TrackIdentity, to: TrackIdentity): TrackIdentity {
  const edited = Object.entries(from.provenance ?? {})
    .filter(([field, origin]) => origin === 'manual' && to.provenance?.[field] !== 'manual' && EDITED.has(field))
    .map(([field]) => field);
  if (edited.length === 0) return to;
  const target = { ...to, provenance: { ...to.provenance } };
  for (const field of edited) {
    for (const key of WITH_ORIGIN[field] ?? [field as Key]) copyField(key, from, target);
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
