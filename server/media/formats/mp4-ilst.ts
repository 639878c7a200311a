// Reads iTunes tags of MP4 files: an atom per field with `data` atoms in it, and `----` atoms with free-form names.
import { MORE_TAG_LIST, namesOfMore } from '../../db/more-tags.ts';
import { TAGGED_FIELDS } from '../../db/track-fields.ts';
import { ID3_GENRES } from '../genres.ts';
import { fieldOfName } from '../field-names.ts';
import { u16be, u32be } from '../integers.ts';
import { MAX_VALUE_BYTES } from '../limits.ts';
import { declaredMime, sniffPicture } from '../picture-mime.ts';
import type { TagBuilder, TextField } from '../tag-builder.ts';
import { decodeUtf16, decodeUtf8 } from '../text.ts';
import { atom, type AtomReader } from './mp4-atoms.ts';

/** The values of iTunSMPB: samples to drop at the start and end, and the number of samples between. */
export interface SmoothPlayback {
  delay: number;
  padding: number;
  samples: number;
}

const TEXT_ATOMS = new Map<number, TextField>(
  Object.entries({
    '\xa9nam': 'title',
    '\xa9ART': 'artist',
    aART: 'albumArtist',
    '\xa9alb': 'album',
    '\xa9day': 'date',
    '\xa9gen': 'genre',
    '\xa9lyr': 'lyrics',
    sonm: 'titleSort',
    soar: 'artistSort',
    soaa: 'albumArtistSort',
    soal: 'albumSort',
    rate: 'rating',
  } as const).map(([name, field]) => [atom(name), field]),
);
/** Atoms whose value is an integer. */
const NUMBER_ATOMS = new Map<number, TextField>([[atom('cpil'), 'compilation']]);
for (const { field, kind, tags } of TAGGED_FIELDS)
  for (const name of tags.mp4 ?? []) (kind === 'tempo' ? NUMBER_ATOMS : TEXT_ATOMS).set(atom(name), field);
for (const tag of MORE_TAG_LIST) {
  for (const name of namesOfMore(tag).mp4 ?? []) TEXT_ATOMS.set(atom(name), tag);
  for (const name of namesOfMore(tag).mp4Numbers ?? []) NUMBER_ATOMS.set(atom(name), tag);
}
const TRACK = atom('trkn');
const DISC = atom('disk');
const GENRE = atom('gnre');
const COVER = atom('covr');
const FREE_FORM = atom('----');
/** Atoms that are searched for after a damaged atom. */
const FIELD_ATOMS = new Set([...TEXT_ATOMS.keys(), ...NUMBER_ATOMS.keys(), TRACK, DISC, GENRE, COVER, FREE_FORM]);
const DATA = atom('data');
const MEAN = atom('mean');
const NAME = atom('name');
const UTF16 = 2;
const FRONT_COVER = 3;
const DECLARED_TYPES: Record<number, string> = { 12: 'gif', 13: 'jpeg', 14: 'png', 27: 'bmp' };

/** Adds all fields; returns iTunSMPB if present. */
export function readIlst(
  atoms: AtomReader,
  start: number,
  limit: number,
  builder: TagBuilder,
): SmoothPlayback | undefined {
  let smoothPlayback: SmoothPlayback | undefined;
  const visit = (name: number, bodyAt: number, end: number): void => {
    if (name === FREE_FORM) smoothPlayback = readFreeForm(atoms, bodyAt, end, builder) ?? smoothPlayback;
    else if (name === COVER) readCovers(atoms, bodyAt, end, builder);
    else if (name === TRACK || name === DISC)
      readPosition(atoms, bodyAt, end, builder, name === TRACK ? 'track' : 'disc');
    else if (name === GENRE) readGenreNumber(atoms, bodyAt, end, builder);
    else {
      const text = TEXT_ATOMS.get(name);
      const number = text === undefined ? NUMBER_ATOMS.get(name) : undefined;
      if (text !== undefined) eachText(atoms, bodyAt, end, (value) => builder.add(text, value));
      else if (number !== undefined) eachNumber(atoms, bodyAt, end, (value) => builder.add(number, String(value)));
    }
  };
  atoms.each(start, limit, visit, FIELD_ATOMS);
  return smoothPlayback;
}

/** Calls `visit` with type, position and length of the value in each `data` atom. */
function eachData(
  atoms: AtomReader,
  start: number,
  limit: number,
  visit: (type: number, position: number, length: number) => void,
): void {
  atoms.each(start, limit, (name, bodyAt, end) => {
    const i = name === DATA && bodyAt + 8 <= end ? atoms.window.at(bodyAt, 8) : -1;
    if (i >= 0) visit(u32be(atoms.window.bytes, i) & 0xffffff, bodyAt + 8, end - bodyAt - 8);
  });
}

function eachText(atoms: AtomReader, start: number, limit: number, visit: (value: string) => void): void {
  eachData(atoms, start, limit, (type, position, length) => {
    if (length > MAX_VALUE_BYTES) return;
    const i = atoms.window.at(position, length);
    if (i < 0) return;
    const b = atoms.window.bytes;
    visit(type === UTF16 ? decodeUtf16(b, i, i + length, true) : decodeUtf8(b, i, i + length));
  });
}

function eachNumber(atoms: AtomReader, start: number, limit: number, visit: (value: number) => void): void {
  eachData(atoms, start, limit, (_type, position, length) => {
    if (length < 1 || length > 6) return;
    const i = atoms.window.at(position, length);
    if (i >= 0) visit(atoms.window.bytes.readIntBE(i, length));
  });
}

/** Reads a track or disc number and the total, two bytes each at offsets 2 and 4. */
function readPosition(
  atoms: AtomReader,
  start: number,
  limit: number,
  builder: TagBuilder,
  field: 'track' | 'disc',
): void {
  eachData(atoms, start, limit, (_type, position, length) => {
    const i = length >= 6 ? atoms.window.at(position, 6) : length >= 4 ? atoms.window.at(position, 4) : -1;
    if (i < 0) return;
    builder.add(field, String(u16be(atoms.window.bytes, i + 2)));
    if (length >= 6)
      builder.add(field === 'track' ? 'trackTotal' : 'discTotal', String(u16be(atoms.window.bytes, i + 4)));
  });
}

/** Reads a genre, stored as the number of an ID3v1 genre plus one. */
function readGenreNumber(atoms: AtomReader, start: number, limit: number, builder: TagBuilder): void {
  eachData(atoms, start, limit, (_type, position, length) => {
    const i = length >= 2 ? atoms.window.at(position, 2) : -1;
    if (i >= 0) builder.add('genre', ID3_GENRES[u16be(atoms.window.bytes, i) - 1] ?? '');
  });
}

function readCovers(atoms: AtomReader, start: number, limit: number, builder: TagBuilder): void {
  eachData(atoms, start, limit, (type, position, length) => {
    const i = atoms.window.at(position, Math.min(length, 16));
    if (i < 0 || length === 0) return;
    builder.addPicture({
      mime: sniffPicture(atoms.window.bytes, i) ?? declaredMime(DECLARED_TYPES[type] ?? ''),
      kind: FRONT_COVER,
      position,
      length,
    });
  });
}

function readFreeForm(
  atoms: AtomReader,
  start: number,
  limit: number,
  builder: TagBuilder,
): SmoothPlayback | undefined {
  let name = '';
  let smoothPlayback: SmoothPlayback | undefined;
  const { window } = atoms;
  atoms.each(start, limit, (child, bodyAt, end) => {
    if (child === NAME && end - bodyAt > 4 && end - bodyAt < 256) {
      const i = window.at(bodyAt, end - bodyAt);
      if (i >= 0) name = window.bytes.toString('utf8', i + 4, i + end - bodyAt);
    } else if (child === DATA && name === 'iTunSMPB') {
      const i = window.at(bodyAt, end - bodyAt);
      if (i >= 0)
        smoothPlayback = parseSmoothPlayback(window.bytes.toString('latin1', i + 8, i + Math.min(end - bodyAt, 512)));
    } else if (child !== MEAN && name !== '') {
      const field = fieldOfName(name);
      const i =
        field === undefined || child !== DATA || end - bodyAt < 8 || end - bodyAt > MAX_VALUE_BYTES
          ? -1
          : window.at(bodyAt, end - bodyAt);
      if (i >= 0 && field !== undefined) builder.add(field, decodeUtf8(window.bytes, i + 8, i + end - bodyAt));
    }
  });
  return smoothPlayback;
}

/** Parses ` 00000000 00000840 000001CA 00000000003F31F6 …`, all hexadecimal. */
export function parseSmoothPlayback(text: string): SmoothPlayback | undefined {
  const match = /^\s*[0-9a-f]{8} ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{16})/i.exec(text);
  return match
    ? {
        delay: Number.parseInt(match[1] as string, 16),
        padding: Number.parseInt(match[2] as string, 16),
        samples: Number.parseInt(match[3] as string, 16),
      }
    : undefined;
}
