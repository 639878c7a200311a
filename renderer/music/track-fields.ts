// How the fields of server/db/track-fields.ts are displayed and edited. If a field is missing here, the code does not
// compile.
import type { TrackFieldName, TrackSort } from '../../server/library/wire.ts';

interface FieldView {
  /** The input in forms: one line, several lines, or a number. */
  input: 'line' | 'lines' | 'number';
  /** Width of the field's column in tables of tracks. */
  width: string;
  /** The column is visible by default. */
  isShown?: true;
}

type Views = { [F in TrackFieldName]: FieldView & (F extends TrackSort ? { isSortable: true } : object) };

const TRACK_FIELDS = {
  year: { input: 'number', width: '56px', isShown: true, isSortable: true },
  track_number: { input: 'number', width: '64px' },
  disc_number: { input: 'number', width: '56px' },
  original_year: { input: 'number', width: '96px', isSortable: true },
  composer: { input: 'line', width: 'minmax(0, 2fr)', isSortable: true },
  label: { input: 'line', width: 'minmax(0, 2fr)', isSortable: true },
  catalog_number: { input: 'line', width: '128px' },
  barcode: { input: 'line', width: '128px' },
  isrc: { input: 'line', width: '128px' },
  bpm: { input: 'number', width: '64px', isSortable: true },
  initial_key: { input: 'line', width: '80px', isSortable: true },
  energy: { input: 'number', width: '72px', isSortable: true },
  comment: { input: 'lines', width: 'minmax(0, 2fr)' },
} as const satisfies Views;

const FIELD_VIEWS: Readonly<Record<TrackFieldName, FieldView & { isSortable?: true }>> = TRACK_FIELDS;
export const FIELD_NAMES = Object.keys(TRACK_FIELDS) as TrackFieldName[];
export const viewOf = (name: TrackFieldName) => FIELD_VIEWS[name];
export const isFieldName = (name: string): name is TrackFieldName => name in TRACK_FIELDS;

type With<Said> = { [F in TrackFieldName]: (typeof TRACK_FIELDS)[F] extends Said ? F : never }[TrackFieldName];
type SortableField = With<{ isSortable: true }>;
export const SORTABLE_FIELDS = FIELD_NAMES.filter(
  (name): name is SortableField => FIELD_VIEWS[name].isSortable === true,
);
