// The fields of a track that hold one value each. What is said here is said nowhere else: reading tags, storing, the
// API, filters and sorts, smart playlists, exports and the edit forms follow from it, or do not compile until they say
// what they make of a new field (`Record<TrackField, …>`). The names (title, artist, album, genre) have rules of their
// own. A new field also needs its column in schema.ts and a migration.

/** `position`: 0 to 9999. */
export type FieldKind = 'year' | 'position';

interface FieldSpec {
  /** In SQL, in the API and in exports. */
  name: string;
  kind: FieldKind;
}

export const TRACK_FIELDS = {
  year: { name: 'year', kind: 'year' },
  trackNumber: { name: 'track_number', kind: 'position' },
  discNumber: { name: 'disc_number', kind: 'position' },
} as const satisfies Record<string, FieldSpec>;

type Fields = typeof TRACK_FIELDS;
export type TrackField = keyof Fields;
export type FieldName<F extends TrackField = TrackField> = Fields[F]['name'];
export type FieldValue<F extends TrackField> = Fields[F]['kind'] extends 'year' | 'position' ? number : string;

/** Null means that there is none. */
export type FieldValues = { [F in TrackField]: FieldValue<F> | null };
/** Absent means that it is not known. */
export type KnownFields = { [F in TrackField]?: FieldValue<F> | undefined };
/** Absent leaves a field as it is, null empties it. */
export type FieldChanges = { [F in TrackField]?: FieldValue<F> | null | undefined };

export const FIELD_LIST = Object.keys(TRACK_FIELDS) as TrackField[];
export const FIELD_NAMES = FIELD_LIST.map((field) => TRACK_FIELDS[field].name);
export const isTrackField = (name: string): name is TrackField => name in TRACK_FIELDS;

/** Of a SELECT: each field by its property. */
export const fieldColumns = (table: string): string =>
  FIELD_LIST.map((field) => `${table}.${TRACK_FIELDS[field].name} AS ${field}`).join(', ');

/** All fields, each with the value that is given for it. */
export function fieldsFrom<V>(valueOf: (field: TrackField) => V): Record<TrackField, V> {
  const values = {} as Record<TrackField, V>;
  for (const field of FIELD_LIST) values[field] = valueOf(field);
  return values;
}

/** The same by their names. */
export function namedFieldsFrom<V>(valueOf: (field: TrackField) => V): Record<FieldName, V> {
  const values = {} as Record<FieldName, V>;
  for (const field of FIELD_LIST) values[TRACK_FIELDS[field].name] = valueOf(field);
  return values;
}

/** The fields of something that has more. */
export const knownFields = (from: KnownFields): KnownFields => fieldsFrom((field) => from[field]);
