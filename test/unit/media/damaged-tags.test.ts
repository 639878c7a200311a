// A damaged block is skipped, and the blocks around it are still read.
import { expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio } from '../../../server/media/read.ts';
import {
  ascii,
  atom,
  chunkBe,
  flac,
  id3,
  id3Frame,
  id3FrameV23,
  latin1Text,
  listInfo,
  silentMp3,
  u16,
  u32,
  u32le,
  utf8Text,
  wav,
  wavChunk,
} from '../../support/audio-bytes.ts';

const readTags = async (bytes: Buffer) => (await readAudio(bufferSource(bytes))).tags;

const comments = (...texts: string[]): Buffer =>
  Buffer.concat([
    u32le(4),
    ascii('test'),
    u32le(texts.length),
    ...texts.flatMap((text) => [u32le(Buffer.byteLength(text)), Buffer.from(text)]),
  ]);

it.each([-20, -1, 3, 4_000])('FLAC whose comment block is off by %i bytes keeps its tags', async (error) => {
  const bytes = flac([4, comments('TITLE=Song', 'ARTIST=Audie', 'ALBUM=Album')]);
  const blockOffset = 4 + 4 + 34;
  bytes.writeUIntBE(bytes.readUIntBE(blockOffset + 1, 3) + error, blockOffset + 1, 3);
  expect(await readTags(bytes)).toMatchObject({ title: 'Song', artists: ['Audie'], album: 'Album' });
});

const frames = (version: 3 | 4) =>
  ['TALB', 'TIT2', 'TPE1', 'TCON'].map((name, n) => {
    const text = `${['Album', 'Song', 'Audie', 'Jazz'][n]}`;
    return version === 3 ? id3FrameV23(name, latin1Text(text)) : id3Frame(name, utf8Text(text));
  });

it.each([3, 4] as const)('ID3v2.%i: a wrong length of a frame costs that frame alone', async (version) => {
  for (const size of [3, 11, 40, 0x7f7f7f]) {
    const parts = frames(version);
    parts[1]?.writeUInt32BE(size, 4);
    const tags = await readTags(Buffer.concat([id3(parts, version), silentMp3(40)]));
    expect(tags, `size ${size}`).toMatchObject({ artists: ['Audie'], album: 'Album', genres: ['Jazz'] });
  }
});

it('an ID3 tag of nothing but beginnings of frames is searched with few reads', async () => {
  // the length of the frame points far ahead, where there is no frame
  const frameStart = Buffer.concat([ascii('TIT2'), Buffer.from([0, 0x10, 0, 0])]);
  const body = Buffer.alloc(4 << 20, 0xee);
  body.fill(frameStart, 0, 1 << 20);
  body.fill(0x7f, 4, 8);
  const source = bufferSource(Buffer.concat([id3([body]), silentMp3(40)]));
  let readCount = 0;
  const readCounted = (position: number, length: number) => (readCount++, source.read(position, length));
  expect((await readAudio({ ...source, read: readCounted })).facts.format).toBe('mp3');
  expect(readCount).toBeLessThan(20_000);
});

it('WAV with a damaged ID3 chunk keeps the other tags', async () => {
  const info = listInfo({ INAM: 'Song', IART: 'Audie' });
  for (const damagedTag of [id3([Buffer.alloc(30, 0xee)]), ascii('ID3\x04\0\0\x7f\x7f\x7f\x7f'), ascii('nothing')])
    expect(await readTags(wav(wavChunk('id3 ', damagedTag), info))).toMatchObject({
      title: 'Song',
      artists: ['Audie'],
    });
});

it('WAV with a wrong length of a chunk keeps the chunks after it', async () => {
  for (const size of [3, 500, 0x7fffffff]) {
    const brokenChunk = wavChunk('junk', Buffer.alloc(100, 1));
    brokenChunk.writeUInt32LE(size, 4);
    const { tags, facts } = await readAudio(bufferSource(wav(brokenChunk, listInfo({ INAM: 'Song' }))));
    expect([tags.title, facts.durationMs], `size ${size}`).toEqual(['Song', 1_000]);
  }
});

it.each([
  [
    'bext',
    wav(wavChunk('bext', Buffer.concat([Buffer.alloc(320), ascii('1995:10:03'), Buffer.alloc(280)]))),
    '1995-10-03',
  ],
  ['ICRD', wav(listInfo({ ICRD: 'Oct 3, 1995' })), '1995-10-03'],
  ['IDIT', wav(listInfo({ IDIT: 'Tue Oct 03 12:00:00 1995' })), '1995-10-03'],
])('the date in %s is read', async (_, bytes, date) => {
  expect(await readTags(bytes)).toMatchObject({ year: 1995, date });
});

/** Wrong lengths that point into the chunk, behind the next chunk, and out of the file. */
const SIZE_ERRORS = [0, 3, 11, 40, 500, 0x7fffffff];

function aiff(...chunks: Buffer[]): Buffer {
  const rate = Buffer.from([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]); // 44100 as an 80-bit float
  const commonChunk = chunkBe('COMM', Buffer.concat([u16(1), u32(44_100), u16(16), rate]));
  const sound = chunkBe('SSND', Buffer.concat([u32(0), u32(0), Buffer.alloc(88_200, 0x93)]));
  const body = Buffer.concat([ascii('AIFF'), ...chunks, commonChunk, sound]);
  return Buffer.concat([ascii('FORM'), u32(body.length), body]);
}

it('AIFF with a wrong length of a chunk keeps the chunks before and after it', async () => {
  for (const size of SIZE_ERRORS) {
    const brokenChunk = chunkBe('APPL', Buffer.alloc(100, 1));
    brokenChunk.writeUInt32BE(size, 4);
    const bytes = aiff(chunkBe('NAME', ascii('Song')), brokenChunk, chunkBe('AUTH', ascii('Audie')));
    const { tags, facts } = await readAudio(bufferSource(bytes));
    expect([tags.title, tags.artists[0], facts.durationMs], `size ${size}`).toEqual(['Song', 'Audie', 1_000]);
  }
});

it('AIFF with a damaged ID3 chunk keeps the other tags', async () => {
  for (const damagedTag of [ascii('ID3\x04\0\0\x7f\x7f\x7f\x7f'), ascii('nothing'), id3([Buffer.alloc(30, 0xee)])])
    expect(await readTags(aiff(chunkBe('ID3 ', damagedTag), chunkBe('NAME', ascii('Song'))))).toMatchObject({
      title: 'Song',
    });
});

const field = (name: string, value: string): Buffer => atom(name, atom('data', u32(1), u32(0), Buffer.from(value)));
const ilst = (...fields: Buffer[]): Buffer =>
  atom(
    'udta',
    atom('meta', u32(0), atom('hdlr', u32(0), u32(0), ascii('mdirappl'), Buffer.alloc(9)), atom('ilst', ...fields)),
  );

/** Builds an MP4 file with some atoms before the movie atom, and others inside it. */
function mp4(atomsBefore: Buffer[], movie: Buffer[]): Buffer {
  const entry = atom('mp4a', Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(2), u16(16), u32(0), u32(44_100 * 65_536));
  const table = atom('stbl', atom('stsd', u32(0), u32(1), entry));
  const handler = atom('hdlr', u32(0), u32(0), ascii('soun'), Buffer.alloc(13));
  const media = atom('mdhd', u32(0), u32(0), u32(0), u32(44_100), u32(88_200), u32(0));
  return Buffer.concat([
    atom('ftyp', ascii('M4A \0\0\0\0')),
    ...atomsBefore,
    atom('moov', atom('trak', atom('mdia', media, handler, atom('minf', table))), ...movie),
    atom('mdat', Buffer.alloc(30_000, 1)),
  ]);
}

const MP4_FIELDS: [name: string, value: string][] = [
  ['\xa9nam', 'Song'],
  ['\xa9ART', 'Audie'],
  ['\xa9alb', 'Album'],
  ['\xa9wrt', 'Composer'],
];

it('MP4 with a wrong length of a field keeps the fields before and after it', async () => {
  for (const size of SIZE_ERRORS)
    for (const [index, [name]] of MP4_FIELDS.entries()) {
      const fields = MP4_FIELDS.map(([key, value]) => field(key, value));
      fields[index]?.writeUInt32BE(size, 0);
      const { title, artists, album, composer } = await readTags(mp4([], [ilst(...fields)]));
      const keptValues = [title, artists[0], album, composer].map(String);
      expect(keptValues.toSpliced(index, 1), `${name} of ${size}`).toEqual(
        MP4_FIELDS.map(([, value]) => value).toSpliced(index, 1),
      );
    }
});

it('MP4 with a wrong length of an atom in front of the movie or within it keeps its tags', async () => {
  const tags = ilst(field('\xa9nam', 'Song'));
  for (const size of SIZE_ERRORS.slice(1)) {
    const brokenAtom = atom('free', Buffer.alloc(100, 1));
    brokenAtom.writeUInt32BE(size, 0);
    for (const bytes of [mp4([brokenAtom], [tags]), mp4([], [brokenAtom, tags])]) {
      const { tags: readTagsOfFile, facts } = await readAudio(bufferSource(bytes));
      expect([readTagsOfFile.title, facts.durationMs], `size ${size}`).toEqual(['Song', 2_000]);
    }
  }
});
