// Small files with every kind of tag, each with every field of the tables. The bytes are built from the tables' names,
// so that a new field is in all of them.
import { MORE_TAG_LIST, namesOfMore } from '../../server/db/more-tags.ts';
import { TAGGED_FIELDS, type FieldKind } from '../../server/db/track-fields.ts';
import {
  ascii,
  atom,
  chunkBe,
  chunkLe,
  flac,
  id3,
  id3Frame,
  id3FrameV22,
  id3FrameV23,
  latin1Text,
  oggPage,
  opusHead,
  silentMp3,
  u16,
  u16le,
  u32,
  u32le,
  utf8Text,
  vorbisComment,
} from './audio-bytes.ts';
import { foreignAudio } from './fallback-attacks.ts';

interface Field {
  kind: FieldKind;
  isList?: boolean;
  tags: { names: string; id3?: readonly string[]; mp4?: readonly string[] };
}
export const CUSTOM_NAME = 'Occasion';
const FIELDS: Field[] = [
  ...TAGGED_FIELDS,
  ...MORE_TAG_LIST.map((tag): Field => ({ kind: 'text', isList: true, tags: namesOfMore(tag) })),
  // no field has this name: its values are read only if a person names it
  { kind: 'text', isList: true, tags: { names: CUSTOM_NAME } },
];

const TEXTS: Record<FieldKind, string> = {
  year: '1971-05-02',
  position: '7',
  tempo: '98',
  level: '6',
  text: 'Érik one',
  note: 'first line\nsecond line',
};
const VALUES: Record<FieldKind, string | number> = {
  year: 1971,
  position: 7,
  tempo: 98,
  level: 6,
  text: 'Érik one',
  note: 'first line\nsecond line',
};
/** Returns the value of a field in these files. */
export const taggedValue = ({ kind, isList }: Pick<Field, 'kind' | 'isList'>, hasLists = true): string | number =>
  isList && hasLists ? `${VALUES[kind]}; two` : VALUES[kind];

const textsOf = ({ kind, isList }: Field): string[] => (isList ? [TEXTS[kind], 'two'] : [TEXTS[kind]]);
const nameOf = ({ tags }: Field): string => tags.names.split('|')[0] as string;

const comments = (title: string): Buffer =>
  vorbisComment(
    `TITLE=${title}`,
    'ARTIST=Somebody',
    'ALBUM=Fields',
    ...FIELDS.flatMap((field) => textsOf(field).map((text) => `${nameOf(field)}=${text}`)),
  );

/** Returns the frame of a field: comments have their own frame, and fields without a frame are in a named one. */
function frameOf(
  field: Field,
  frame: (name: string, body: Buffer) => Buffer,
  frameName: string,
  idPattern: RegExp,
): Buffer {
  const text = frameName === 'TXXX' ? textsOf(field).join('\0') : (textsOf(field)[0] as string);
  const name = field.tags.id3?.findLast((tagName) => idPattern.test(tagName));
  if (field.kind === 'note') return frame(frameName.length === 4 ? 'COMM' : 'COM', utf8Text(`eng\0${text}`));
  return name === undefined ? frame(frameName, utf8Text(`${nameOf(field)}\0${text}`)) : frame(name, utf8Text(text));
}

const id3v24 = (title: string): Buffer =>
  id3([
    id3Frame('TIT2', utf8Text(title)),
    id3Frame('TPE1', utf8Text('Somebody')),
    id3Frame('TALB', utf8Text('Fields')),
    ...FIELDS.map((field) => frameOf(field, id3Frame, 'TXXX', /^(?!TORY)....$/)),
  ]);
const id3v23 = (title: string): Buffer =>
  id3(
    [
      id3FrameV23('TIT2', latin1Text(title)),
      id3FrameV23('TPE1', latin1Text('Somebody')),
      id3FrameV23('TALB', latin1Text('Fields')),
      ...FIELDS.map((field) => frameOf(field, id3FrameV23, 'TXXX', /^(?!TDOR)....$/)),
    ],
    3,
  );
const id3v22 = (title: string): Buffer =>
  id3(
    [
      id3FrameV22('TT2', latin1Text(title)),
      id3FrameV22('TP1', latin1Text('Somebody')),
      id3FrameV22('TAL', latin1Text('Fields')),
      ...FIELDS.map((field) => frameOf(field, id3FrameV22, 'TXX', /^...$/)),
    ],
    2,
  );

function apeTag(title: string): Buffer {
  const items = [
    ['Title', title],
    ['Artist', 'Somebody'],
    ['Album', 'Fields'],
    ...FIELDS.map((field) => [nameOf(field), textsOf(field).join('\0')]),
  ].map(([name = '', text = '']) => {
    const value = Buffer.from(text);
    return Buffer.concat([u32le(value.length), u32le(0), ascii(`${name}\0`), value]);
  });
  const size = 32 + Buffer.concat(items).length;
  const edge = (flags: number): Buffer =>
    Buffer.concat([ascii('APETAGEX'), u32le(2000), u32le(size), u32le(items.length), u32le(flags), Buffer.alloc(8)]);
  return Buffer.concat([edge(0xa0000000), ...items, edge(0x80000000)]);
}

function m4a(title: string): Buffer {
  const data = (type: number, body: Buffer): Buffer => atom('data', u32(type), u32(0), body);
  const text = (value: string): Buffer => data(1, Buffer.from(value));
  const items = FIELDS.map((field) => {
    const [name] = field.tags.mp4 ?? [];
    if (name !== undefined)
      return field.kind === 'tempo'
        ? atom(name, data(21, u16(Number(TEXTS.tempo))))
        : atom(name, ...textsOf(field).map(text));
    const head = [atom('mean', u32(0), ascii('com.apple.iTunes')), atom('name', u32(0), ascii(nameOf(field)))];
    return atom('----', ...head, ...textsOf(field).map(text));
  });
  return m4aWith(
    atom('\xa9nam', text(title)),
    atom('\xa9ART', text('Somebody')),
    atom('\xa9alb', text('Fields')),
    ...items,
  );
}

/** Returns an MP4 file with these atoms as its iTunes tags. */
export function m4aWith(...items: Buffer[]): Buffer {
  const entry = atom('mp4a', Buffer.alloc(8), u32(0), u32(0), u16(2), u16(16), u32(0), u32(44100 << 16));
  const trak = atom(
    'trak',
    atom(
      'mdia',
      atom('mdhd', u32(0), u32(0), u32(0), u32(44100), u32(90_112), u32(0)),
      atom('hdlr', u32(0), u32(0), ascii('soun'), Buffer.alloc(13)),
      atom('minf', atom('stbl', atom('stsd', u32(0), u32(1), entry))),
    ),
  );
  const ilst = atom('ilst', ...items);
  const meta = atom('meta', u32(0), atom('hdlr', u32(0), u32(0), ascii('mdirappl'), Buffer.alloc(9)), ilst);
  return Buffer.concat([
    atom('ftyp', ascii('M4A \0\0\0\0')),
    atom(
      'moov',
      atom('mvhd', u32(0), u32(0), u32(0), u32(1000), u32(2043), Buffer.alloc(80)),
      trak,
      atom('udta', meta),
    ),
    atom('mdat', Buffer.alloc(30_000, 1)),
  ]);
}

function wav(title: string): Buffer {
  const format = Buffer.concat([u16le(1), u16le(2), u32le(44100), u32le(44100 * 4), u16le(4), u16le(16)]);
  const chunks = [chunkLe('fmt ', format), chunkLe('data', Buffer.alloc(44100 * 4, 3)), chunkLe('id3 ', id3v24(title))];
  const body = Buffer.concat([ascii('WAVE'), ...chunks]);
  return Buffer.concat([ascii('RIFF'), u32le(body.length), body]);
}

function aiff(title: string): Buffer {
  const rate = Buffer.from([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]); // the sample rate 44100 as an 80-bit float
  const body = Buffer.concat([
    ascii('AIFF'),
    chunkBe('COMM', Buffer.concat([u16(2), u32(44100), u16(16), rate])),
    chunkBe('SSND', Buffer.concat([u32(0), u32(0), Buffer.alloc(44100 * 4, 3)])),
    chunkBe('ID3 ', id3v24(title)),
  ]);
  return Buffer.concat([ascii('FORM'), u32(body.length), body]);
}

const opus = (title: string): Buffer =>
  Buffer.concat([
    oggPage(1, 2, 0n, opusHead),
    oggPage(1, 0, 0n, Buffer.concat([ascii('OpusTags'), comments(title)])),
    oggPage(1, 4, 48_312n, Buffer.alloc(5000, 1)),
  ]);

interface TaggedFile {
  name: string;
  bytes: Buffer;
  /** Whether tags of the format can have several values for a field. */
  hasLists: boolean;
}

const wavpack = foreignAudio.find(({ name }) => name === 'good.wv')?.bytes ?? Buffer.alloc(0);

/** Returns the values in the files of a field that may have several. */
export const listedValues = (hasLists: boolean): string[] => (hasLists ? [TEXTS.text, 'two'] : [TEXTS.text]);

/** The files; the title of each is its name. */
export const taggedFiles: TaggedFile[] = [
  { name: 'v24.mp3', hasLists: true, bytes: Buffer.concat([id3v24('v24.mp3'), silentMp3(40)]) },
  { name: 'v23.mp3', hasLists: true, bytes: Buffer.concat([id3v23('v23.mp3'), silentMp3(41)]) },
  { name: 'v22.mp3', hasLists: false, bytes: Buffer.concat([id3v22('v22.mp3'), silentMp3(42)]) },
  { name: 'ape.mp3', hasLists: true, bytes: Buffer.concat([silentMp3(43), apeTag('ape.mp3')]) },
  { name: 'vorbis.flac', hasLists: true, bytes: flac([4, comments('vorbis.flac')]) },
  { name: 'comments.opus', hasLists: true, bytes: opus('comments.opus') },
  { name: 'atoms.m4a', hasLists: true, bytes: m4a('atoms.m4a') },
  { name: 'chunk.wav', hasLists: true, bytes: wav('chunk.wav') },
  { name: 'chunk.aiff', hasLists: true, bytes: aiff('chunk.aiff') },
  // music-metadata reads the following formats
  { name: 'items.wv', hasLists: true, bytes: Buffer.concat([wavpack, apeTag('items.wv')]) },
];
