// The fields of a track that hold one value each. They are declared only here: reading tags, storing, the API, filters
// and sorts, smart playlists, exports and edits are derived from this table. Where something cannot be derived, a
// `Record<TrackField, …>` does not compile until it contains a new field. A new field also needs its column in
// schema/tracks.ts and a migration. The names (title, artist, album, genre) have rules of their own.

/**
 * `position`: 0 to 9999 · `tempo`: 1 to 999, may have decimals · `level`: 1 to 10 · `text`: one line · `note`: may have
 * several lines.
 */
export type FieldKind = 'year' | 'position' | 'tempo' | 'level' | 'text' | 'note';

/** The names under which tags store a field. */
interface TagNames {
  /** Vorbis comments, APEv2 items, TXXX frames and MP4 `----` atoms; all use the same names, in different case. */
  names: string;
  /** ID3v2 text frames. */
  id3?: readonly string[];
  /** MP4 atoms. */
  mp4?: readonly string[];
  /** Names in the LIST INFO of a WAV file. */
  riff?: readonly string[];
  /** The names by which music-metadata returns the field, for the formats that it reads. */
  common: readonly string[];
}

interface FieldSpec {
  /** The name in SQL, in the API and in exports. */
  name: string;
  kind: FieldKind;
  /** Set if the field may have several values, which are stored as one text with `; ` between them. */
  isList?: true;
  /**
   * Set if GET /tracks sorts and filters by the field: by `<name>_from` and `<name>_to` for numbers, by a part of the
   * text for texts. An index `tracks_<name>` contains the rows that have the field. A text is also stored folded, in a
   * column `<name>_sort`.
   */
  isListed?: true;
  /** Undefined if the field is not read by these names but by code in media/tag-builder.ts. */
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
    // The ID3 frame is left out, because it has a structure of its own, see id3-frames.ts.
    tags: { names: 'COMMENT|DESCRIPTION', mp4: ['\xa9cmt'], riff: ['ICMT'], common: ['comment'] },
  },
} as const satisfies Record<string, FieldSpec>;

type Fields = typeof TRACK_FIELDS;
export type TrackField = keyof Fields;
/** The fields whose specification has these properties. */
type FieldsWith<Said> = { [F in TrackField]: Fields[F] extends Said ? F : never }[TrackField];
type Text = 'text' | 'note';

export type FieldName<F extends TrackField = TrackField> = Fields[F]['name'];
export type FieldValue<F extends TrackField> = Fields[F]['kind'] extends Text ? string : number;
/** The fields that are read from tags by the names in this table. */
export type TaggedField = FieldsWith<{ tags: TagNames }>;
/** The type of a field's value in tags. */
export type TagValue<F extends TrackField> = Fields[F] extends { isList: true } ? string[] : FieldValue<F>;
export type ListedNumber = FieldsWith<{ isListed: true; kind: Exclude<FieldKind, Text> }>;
export type ListedText = FieldsWith<{ isListed: true; kind: Text }>;
type ListedField = ListedNumber | ListedText;
export type ListedName = FieldName<ListedField>;

/** The values of all fields; null means that the track has no value. */
export type FieldValues = { [F in TrackField]: FieldValue<F> | null };
/** The values of fields; a field that is left out is unknown. */
export type KnownFields = { [F in TrackField]?: FieldValue<F> | undefined };
/** Changes of fields; a field that is left out stays as it is, null deletes its value. */
export type FieldChanges = { [F in TrackField]?: FieldValue<F> | null | undefined };

const SPECS: Record<TrackField, FieldSpec & { name: FieldName }> = TRACK_FIELDS;
export const FIELD_LIST = Object.keys(TRACK_FIELDS) as TrackField[];
export const FIELD_NAMES = FIELD_LIST.map((field) => TRACK_FIELDS[field].name);
export const isTrackField = (name: string): name is TrackField => name in TRACK_FIELDS;

/** The fields that have names in tags, with these names. */
export const TAGGED_FIELDS = FIELD_LIST.flatMap((field) => {
  const { tags, ...spec } = SPECS[field];
  return tags ? [{ field: field as TaggedField, ...spec, tags }] : [];
});
const listedFields = FIELD_LIST.filter((field): field is ListedField => SPECS[field].isListed === true);
const isText = (field: TrackField): boolean => ['text', 'note'].includes(SPECS[field].kind);
export const LISTED_TEXTS = listedFields.filter((field): field is ListedText => isText(field));
export const LISTED_NAMES = listedFields.map((field): ListedName => TRACK_FIELDS[field].name);
/** Returns the column with the folded text of a field. */
export const foldedName = (field: ListedText): string => `${TRACK_FIELDS[field].name}_sort`;
export type FoldedColumn = `${ListedText}Sort`;
export const LISTED_NUMBERS = listedFields.filter((field): field is ListedNumber => !isText(field));

/** Returns the columns for a SELECT, each under the name of its property. */
export const fieldColumns = (table: string): string =>
  FIELD_LIST.map((field) => `${table}.${TRACK_FIELDS[field].name} AS ${field}`).join(', ');

/** Returns an object with a value for each field. */
export function fieldsFrom<V>(valueOf: (field: TrackField) => V): Record<TrackField, V> {
  const values = {} as Record<TrackField, V>;
  for (const field of FIELD_LIST) values[field] = valueOf(field);
  return values;
}

/** Returns an object with a value for each column of a folded text. */
export function foldedFrom<V>(valueOf: (field: ListedText) => V): Record<FoldedColumn, V> {
  const values = {} as Record<FoldedColumn, V>;
  for (const field of LISTED_TEXTS) values[`${field}Sort`] = valueOf(field);
  return values;
}

/** Returns an object with a value for the API name of each field. */
export function namedFieldsFrom<V>(valueOf: (field: TrackField) => V): Record<FieldName, V> {
  const values = {} as Record<FieldName, V>;
  for (const field of FIELD_LIST) values[TRACK_FIELDS[field].name] = valueOf(field);
  return values;
}

/** Returns an object with only the fields of `from`, which may have other properties. */
export const knownFields = (from: KnownFields): KnownFields => fieldsFrom((field) => from[field]) as KnownFields;

/** Returns the values in the text of a field that may have several. */
export const valuesOfList = (text: string | null): string[] =>
  text === null
    ? []
    : text
        .split(';')
        .map((value) => value.trim())
        .filter((value) => value !== '');
export const joinValues = (values: readonly string[]): string => values.join('; ');
