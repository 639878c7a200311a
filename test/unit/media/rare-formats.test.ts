// Tests rare formats: their properties, tags at their ends, and unsupported formats.
import { expect, it } from 'vitest';
import { whyNotRead } from '../../../server/media/audio-formats.ts';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { hashPayload } from '../../../server/media/payload-hash.ts';
import { readAudio } from '../../../server/media/read.ts';
import { apeTag, ascii, flac, id3, id3Frame, listInfo, utf8Text, wav } from '../../support/audio-bytes.ts';
import { BUILT_FILES, dsf, dtsIn14Bits, REAL_FILES, taggedByFfmpeg } from '../../support/rare-formats.ts';
import { toolOrWarn } from '../../support/tools.ts';

const readParts = (...parts: Buffer[]) => readAudio(bufferSource(Buffer.concat(parts)));
const files = [...(toolOrWarn('ffmpeg', 'most of the rare formats are') ? REAL_FILES : []), ...BUILT_FILES];

it.each(files)('$name is read', async ({ make, format, codec, sampleRateHz, channels, bitDepth }) => {
  const { facts } = await readParts(make());
  expect(facts).toMatchObject({ format, codec, sampleRateHz, channels, ...(bitDepth !== undefined && { bitDepth }) });
  expect(facts.durationMs).toBeGreaterThan(1_980);
  expect(facts.durationMs).toBeLessThan(2_070); // the last frame may be padded
});

it.each(files)('$name may have tags in front and at the end', async ({ make, format }) => {
  const bytes = make();
  const taggedFile = Buffer.concat([
    id3([id3Frame('TALB', utf8Text('Album'))]),
    bytes,
    apeTag({ Title: 'Song', Artist: 'Audie\0Chris', Year: '1995' }),
  ]);
  const { facts, tags } = await readParts(taggedFile);
  expect(facts.format).toBe(format);
  expect(tags).toMatchObject({ title: 'Song', artists: ['Audie', 'Chris'], album: 'Album', year: 1995 });
  const plainResult = await readParts(bytes);
  expect(facts.durationMs).toBe(plainResult.facts.durationMs);
  if (plainResult.facts.payload)
    expect(hashPayload(bufferSource(taggedFile), facts)).toBe(hashPayload(bufferSource(bytes), plainResult.facts));
});

it('an APEv2 tag at the end of FLAC and WAV is read', async () => {
  const tag = apeTag({ Title: 'Song' });
  expect((await readParts(flac(), tag)).tags.title).toBe('Song');
  expect((await readParts(wav(listInfo({ IART: 'Audie' })), tag)).tags).toMatchObject({
    title: 'Song',
    artists: ['Audie'],
  });
});

it('DTS is read in 14-bit words and in both byte orders', async () => {
  const dts = REAL_FILES.find(({ name }) => name === 'a.dts');
  if (!toolOrWarn('ffmpeg', 'DTS is') || !dts) return;
  const bytes = dts.make();
  const { durationMs } = (await readParts(bytes)).facts;
  for (const variant of [Buffer.from(bytes).swap16(), dtsIn14Bits(bytes), dtsIn14Bits(bytes).swap16()]) {
    const { facts } = await readParts(variant);
    expect(facts).toMatchObject({ format: 'dts', sampleRateHz: 48_000, channels: 6 });
    expect(Math.abs(facts.durationMs - durationMs)).toBeLessThan(25);
  }
});

it.each([
  ['MThd\0\0\0\x06', 'MIDI'],
  ['#!AMR\n', 'AMR'],
  ['.snd\0\0\0\x18', 'Sun audio'],
])('%j is said to be of a format that is not supported', async (begin, name) => {
  await expect(readParts(ascii(begin), Buffer.alloc(2_000))).rejects.toThrow(
    `audio in a format that is not supported (${name})`,
  );
});

it('a name says why a scan does not read the file', () => {
  expect(whyNotRead('mid')).toBe('audio in a format that is not supported (MIDI)');
  expect(whyNotRead('mkv')).toBe('a video');
  expect(whyNotRead('pdf')).toBe('not audio');
});

const ID3_TAG = id3([id3Frame('TIT2', utf8Text('Song'))]);

it.each<[string, (bytes: Buffer) => void]>([
  ['the length of the file', (b) => b.writeBigUInt64LE(7n, 12)],
  ['the length of its first chunk', (b) => b.writeBigUInt64LE(2n ** 60n, 4)],
  ['the place of the tag', (b) => b.writeBigUInt64LE(BigInt(b.length + 9), 20)],
  ['that there is no tag', (b) => b.writeBigUInt64LE(0n, 20)],
  ['the length of the format', (b) => b.writeBigUInt64LE(0n, 32)],
  ['the number of samples', (b) => b.writeBigUInt64LE(2n ** 50n, 64)],
  ['that there are no samples', (b) => b.writeBigUInt64LE(0n, 64)],
  ['the length of the audio', (b) => b.writeBigUInt64LE(2n ** 50n, 84)],
])('a DSF file that is wrong about %s has its duration and its tag', async (_, corrupt) => {
  const plainFile = dsf();
  const bytes = Buffer.concat([plainFile, ID3_TAG]);
  bytes.writeBigUInt64LE(BigInt(plainFile.length), 20);
  const { facts: previousFacts } = await readParts(bytes);
  corrupt(bytes);
  const { facts, tags } = await readParts(bytes);
  expect([facts.durationMs, tags.title]).toEqual([previousFacts.durationMs, 'Song']);
  expect(hashPayload(bufferSource(bytes), facts)).toBe(
    hashPayload(bufferSource(plainFile), (await readParts(plainFile)).facts),
  );
});

const WRITTEN_TAGS = { title: 'Sång', artist: 'A', album_artist: 'B', album: 'C', track: '3/9', date: '1999' };

it
  .runIf(toolOrWarn('ffmpeg', 'tags as ffmpeg writes them are'))
  .each([
    ['a.wma', '-c:a', 'wmav2'],
    ['a.mka', '-c:a', 'libvorbis'],
    ['live.mka', '-c:a', 'libvorbis', '-live', '1'],
    ['a.wv'],
    ['a.tta'],
    ['a.caf', '-c:a', 'pcm_s16be'],
  ])('tags as ffmpeg writes them into %s are read', async (name, ...output) => {
  const { tags } = await readParts(taggedByFfmpeg(name, WRITTEN_TAGS, ...output));
  const { title, artists, albumArtists, album, trackNumber, year } = tags;
  expect([title, artists, albumArtists, album, trackNumber, year]).toEqual(['Sång', ['A'], ['B'], 'C', 3, 1999]);
});
