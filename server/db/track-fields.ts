// The fields of a track that hold one value each. What is said here is said nowhere else: reading tags, storing, the
// API, filters and sorts, smart playlists, exports and edits follow from it; where something cannot be derived, a
// `Record<TrackField, …>` does not compile until it knows of a new field. A new field also needs its column in
// schema/tracks.ts and a migration. The names (title, artist, album, genre) have rules of their own.

/**
 * `position`: 0 to 9999 · `tempo`: 1 to 999, may have decimals · `level`: 1 to 10 · `text`: one line · `note`: may have
 * several.
 */
export type FieldKind = 'year' | 'position' | 'tempo' | 'level' | 'text' | 'note';

/** Where tags store a field. */
interface TagNames {
  /** Vorbis comments, APEv2 items, TXXX frames and MP4 `----` atoms: all use the same names but for their case. */
  names: string;
  /** ID3v2 text frames. */
  id3?: readonly string[];
  /** MP4 atoms. */
  mp4?: readonly string[];
  /** LIST INFO of a WAV file. */
  riff?: readonly string[];
  /** The names by which music-metadata returns the field, for the formats that it reads. */
  common: readonly string[];
}

interface FieldSpec {
  /** In SQL, in the API and in exports. */
  name: string;
  kind: FieldKind;
  /** The field may have several values, which are stored as one text with `; ` between them. */
  isList?: true;
  /**
   * GET /tracks sorts by it and filters it: numbers by `<name>_from` and `<name>_to`, texts by a part of them. There is
   * an index `tracks_<name>` of the rows that have it. A text is also kept folded, in a column `<name>_sort`.
   */
  isListed?: true;
  /** Absent where tags are read by a rule of their own (media/tag-builder.ts). */
  tags?: TagNames;
}

export const TRACK_FIELDS = {
  year: { name: 'year', kind: 'year', isListed: true },
  trackNumber: { name: 'track_number', kind: 'position' },
  discNumber: { name: 'disc_number', kind: 'position' },
  originalYear: {
    name: 'original_year',
    kind: 'year',
    isListed: true,
    tags: {
      names: 'ORIGINALDATE|ORIGINALYEAR|ORIGYEAR',
      id3: ['TDOR', 'TORY', 'TOR'],
      common: ['originaldate', 'originalyear'],
    },
  },
  composer: {
    name: 'composer',
    kind: 'text',
    isList: true,
    isListed: true,
    tags: {
      names: 'COMPOSER',
      id3: ['TCOM', 'TCM'],
      mp4: ['\xa9wrt', '\xa9com'],
      riff: ['IMUS'],
      common: ['composer'],
    },
  },
  label: {
    name: 'label',
    kind: 'text',
    isList: true,
    isListed: true,
    tags: { names: 'LABEL|PUBLISHER|ORGANIZATION', id3: ['TPUB', 'TPB'], common: ['label'] },
  },
  catalogNumber: {
    name: 'catalog_number',
    kind: 'text',
    isList: true,
    tags: { names: 'CATALOGNUMBER|CATALOG|CATALOGID', common: ['catalognumber'] },
  },
  barcode: {
    name: 'barcode',
    kind: 'text',
    tags: { names: 'BARCODE|UPC|EAN|EAN/UPC|GTIN', common: ['barcode'] },
  },
  isrc: {
    name: 'isrc',
    kind: 'text',
    isList: true,
    tags: { names: 'ISRC', id3: ['TSRC', 'TRC'], common: ['isrc'] },
  },
  bpm: {
    name: 'bpm',
    kind: 'tempo',
    isListed: true,
    tags: { names: 'BPM|TEMPO', id3: ['TBPM', 'TBP'], mp4: ['tmpo'], common: ['bpm'] },
  },
  initialKey: {
    name: 'initial_key',
    kind: 'text',
    isListed: true,
    tags: { names: 'INITIALKEY|INITIAL_KEY|KEY', id3: ['TKEY', 'TKE'], common: ['key'] },
  },
  energy: {
    name: 'energy',
    kind: 'level',
    isListed: true,
    tags: { names: 'ENERGYLEVEL|ENERGY', common: [] },
  },
  comment: {
    name: 'comment',
    kind: 'note',
    // ID3 has a frame with a structure of its own, see id3-frames.ts
    tags: { names: 'COMMENT|DESCRIPTION', mp4: ['\xa9cmt'], riff: ['ICMT'], common: ['comment'] },
  },
} as const satisfies Record<string, FieldSpec>;

type Fields = typeof TRACK_FIELDS;
export type TrackField = keyof Fields;
/** Fields whose specification has these properties. */
type FieldsWith<Said> = { [F in TrackField]: Fields[F] extends Said ? F : never }[TrackField];
type Text = 'text' | 'note';

export type FieldName<F extends TrackField = TrackField> = Fields[F]['name'];
export type FieldValue<F extends TrackField> = Fields[F]['kind'] extends Text ? string : number;
/** Fields that are read from tags by this table. */
export type TaggedField = FieldsWith<{ tags: TagNames }>;
/** The value of a field as tags have it. */
export type TagValue<F extends TrackField> = Fields[F] extends { isList: true } ? string[] : FieldValue<F>;
export type ListedNumber = FieldsWith<{ isListed: true; kind: Exclude<FieldKind, Text> }>;
export type ListedText = FieldsWith<{ isListed: true; kind: Text }>;
type ListedField = ListedNumber | ListedText;
export type ListedName = FieldName<ListedField>;

/** Null means that there is none. */
export type FieldValues = { [F in TrackField]: FieldValue<F> | null };
/** An absent field is unknown. */
export type KnownFields = { [F in TrackField]?: FieldValue<F> | undefined };
/** An absent field stays as it is, null empties it. */
export type FieldChanges = { [F in TrackField]?: FieldValue<F> | null | undefined };

const SPECS: Record<TrackField, FieldSpec & { name: FieldName }> = TRACK_FIELDS;
export const FIELD_LIST = Object.keys(TRACK_FIELDS) as TrackField[];
export const FIELD_NAMES = FIELD_LIST.map((field) => TRACK_FIELDS[field].name);
export const isTrackField = (name: string): name is TrackField => name in TRACK_FIELDS;

/** Fields with the names of their tags. */
export const TAGGED_FIELDS = FIELD_LIST.flatMap((field) => {
  const { tags, ...spec } = SPECS[field];
  return tags ? [{ field: field as TaggedField, ...spec, tags }] : [];
});
const listedFields = FIELD_LIST.filter((field): field is ListedField => SPECS[field].isListed === true);
const isText = (field: TrackField): boolean => ['text', 'note'].includes(SPECS[field].kind);
export const LISTED_TEXTS = listedFields.filter((field): field is ListedText => isText(field));
export const LISTED_NAMES = listedFields.map((field): ListedName => TRACK_FIELDS[field].name);
/** Returns the column of a folded text. */
export const foldedName = (field: ListedText): string => `${TRACK_FIELDS[field].name}_sort`;
export type FoldedColumn = `${ListedText}Sort`;
export const LISTED_NUMBERS = listedFields.filter((field): field is ListedNumber => !isText(field));

/** Columns for a SELECT: each field by its property. */
export const fieldColumns = (table: string): string =>
  FIELD_LIST.map((field) => `${table}.${TRACK_FIELDS[field].name} AS ${field}`).join(', ');

/** All fields, each with the value that is given for it. */
export function fieldsFrom<V>(valueOf: (field: TrackField) => V): Record<TrackField, V> {
  const values = {} as Record<TrackField, V>;
  for (const field of FIELD_LIST) values[field] = valueOf(field);
  return values;
}

/** The columns of folded texts, each with the value that is given for it. */
export function foldedFrom<V>(valueOf: (field: ListedText) => V): Record<FoldedColumn, V> {
  const values = {} as Record<FoldedColumn, V>;
  for (const field of LISTED_TEXTS) values[`${field}Sort`] = valueOf(field);
  return values;
}

/** All fields by their API names, each with the value that is given for it. */
export function namedFieldsFrom<V>(valueOf: (field: TrackField) => V): Record<FieldName, V> {
  const values = {} as Record<FieldName, V>;
  for (const field of FIELD_LIST) values[TRACK_FIELDS[field].name] = valueOf(field);
  return values;
}

/** Picks the fields from an object that has more. */
export const knownFields = (from: KnownFields): KnownFields => fieldsFrom((field) => from[field]) as KnownFields;

/** Splits the text of a field that may have several values. */
export const valuesOfList = (text: string | null): string[] =>
  text === null
    ? []
    : text
        .split(';')
        .map((value) => value.trim())
        .filter((value) => value !== '');
export const joinValues = (values: readonly string[]): string => values.join('; ');
