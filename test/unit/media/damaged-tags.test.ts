// A damaged block costs itself and not its neighbours.
import { expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio } from '../../../server/media/read.ts';
import {
  ascii,
  flac,
  id3,
  id3Frame,
  id3FrameV23,
  latin1Text,
  listInfo,
  silentMp3,
  u32le,
  utf8Text,
  wav,
  wavChunk,
} from '../../support/audio-bytes.ts';

const tagsOf = async (bytes: Buffer) => (await readAudio(bufferSource(bytes))).tags;

const comments = (...texts: string[]): Buffer =>
  Buffer.concat([
    u32le(4),
    ascii('test'),
    u32le(texts.length),
    ...texts.flatMap((text) => [u32le(Buffer.byteLength(text)), Buffer.from(text)]),
  ]);

it.each([-20, -1, 3, 4_000])('FLAC whose comment block is off by %i bytes keeps its tags', async (off) => {
  const bytes = flac([4, comments('TITLE=Song', 'ARTIST=Audie', 'ALBUM=Album')]);
  const at = 4 + 4 + 34;
  bytes.writeUIntBE(bytes.readUIntBE(at + 1, 3) + off, at + 1, 3);
  expect(await tagsOf(bytes)).toMatchObject({ title: 'Song', artists: ['Audie'], album: 'Album' });
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
    const tags = await tagsOf(Buffer.concat([id3(parts, version), silentMp3(40)]));
    expect(tags, `size ${size}`).toMatchObject({ artists: ['Audie'], album: 'Album', genres: ['Jazz'] });
  }
});

it('an ID3 tag of nothing but beginnings of frames is searched with few reads', async () => {
  const beginning = Buffer.concat([ascii('TIT2'), Buffer.from([0, 0x10, 0, 0])]); // leads far on, to no frame
  const body = Buffer.alloc(4 << 20, 0xee);
  body.fill(beginning, 0, 1 << 20);
  body.fill(0x7f, 4, 8);
  const source = bufferSource(Buffer.concat([id3([body]), silentMp3(40)]));
  let reads = 0;
  const read = (position: number, length: number) => (reads++, source.read(position, length));
  expect((await readAudio({ ...source, read })).facts.format).toBe('mp3');
  expect(reads).toBeLessThan(20_000);
});

it('WAV with a damaged ID3 chunk keeps the other tags', async () => {
  const info = listInfo({ INAM: 'Song', IART: 'Audie' });
  for (const damaged of [id3([Buffer.alloc(30, 0xee)]), ascii('ID3\x04\0\0\x7f\x7f\x7f\x7f'), ascii('nothing')])
    expect(await tagsOf(wav(wavChunk('id3 ', damaged), info))).toMatchObject({ title: 'Song', artists: ['Audie'] });
});

it('WAV with a wrong length of a chunk keeps the chunks after it', async () => {
  for (const size of [3, 500, 0x7fffffff]) {
    const broken = wavChunk('junk', Buffer.alloc(100, 1));
    broken.writeUInt32LE(size, 4);
    const { tags, facts } = await readAudio(bufferSource(wav(broken, listInfo({ INAM: 'Song' }))));
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
  expect(await tagsOf(bytes)).toMatchObject({ year: 1995, date });
});
