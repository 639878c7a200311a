// Formats that music-metadata reads, some of which it does not detect, and files that make it use too much time or
// memory.
import { expect, it } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio } from '../../../server/media/read.ts';
import { apeTag, id3, id3Frame, utf8Text } from '../../support/audio-bytes.ts';
import { fallbackAttacks, foreignAudio } from '../../support/fallback-attacks.ts';
import { dff } from '../../support/rare-formats.ts';

it('a DSDIFF file is read, though music-metadata does not detect it', async () => {
  const { facts } = await readAudio(bufferSource(dff()));
  expect(facts).toMatchObject({ format: 'dff', codec: 'dsd', durationMs: 1000, sampleRateHz: 2_822_400, channels: 2 });
});

const wavpack = (foreignAudio.find(({ name }) => name === 'good.wv') as (typeof foreignAudio)[number]).bytes;

it('several names in one value are several artists', async () => {
  const { tags } = await readAudio(bufferSource(Buffer.concat([wavpack, apeTag({ Artist: 'Audie\0Chris' })])));
  expect(tags.artists).toEqual(['Audie', 'Chris']);
});

it('an ID3 tag in front of another format is skipped, and fills gaps', async () => {
  const { facts, tags } = await readAudio(
    bufferSource(
      Buffer.concat([
        id3([id3Frame('TIT2', utf8Text('From ID3')), id3Frame('TPE1', utf8Text('Nobody'))]),
        wavpack,
        apeTag({ Artist: 'Audie' }),
      ]),
    ),
  );
  expect(facts.format).toBe('wv');
  expect(tags).toMatchObject({ title: 'From ID3', artists: ['Audie'] });
});

it.each(foreignAudio)('$name is audio', async ({ bytes }) => {
  const { facts, reader } = await readAudio(bufferSource(bytes));
  expect([reader, facts.durationMs > 0]).toEqual(['music-metadata', true]);
});

/** Tests all attacks except the file that hangs, which is tested with the reading thread. */
it.each(fallbackAttacks.filter(({ name }) => name !== 'nuls.mka'))(
  '$name ($why) is rejected with a reason',
  async ({ makeFile }) => {
    await expect(readAudio(bufferSource(makeFile()))).rejects.toThrow(
      /^the (?:file (?:is made of too many parts|has more than \d+ (?:parts|tags))|Musepack .+)$/,
    );
  },
);
