// Additional tags are read unchanged from every tag format that can hold them.
import { expect, test } from 'vitest';
import { isExplicit, MORE_TAG_LIST, MORE_TAGS, namesOfMore, type MoreTags } from '../../../server/db/more-tags.ts';
import { toIdentity } from '../../../server/files/track-draft.ts';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio } from '../../../server/media/read.ts';
import { flac, id3, id3Frame, latin1Text, silentMp3, utf8Text, vorbisComment } from '../../support/audio-bytes.ts';
import { listedValues, taggedFiles } from '../../support/tagged-files.ts';

const readMoreTags = async (bytes: Buffer): Promise<MoreTags | null | undefined> =>
  toIdentity(await readAudio(bufferSource(bytes)), 'one').more;

test.each(taggedFiles)('$name', async ({ name, bytes, hasLists }) => {
  const byLibrary = name.endsWith('.wv');
  const moreTags = await readMoreTags(bytes);
  // excludes tags that music-metadata does not read, or of which it returns one value, or numbers as numbers
  const comparedTags = MORE_TAG_LIST.filter(
    (tag) => !byLibrary || (namesOfMore(tag).common.length > 0 && tag !== 'movementTotal'),
  );
  const valueCount = byLibrary ? 1 : undefined;
  expect(Object.fromEntries(comparedTags.map((tag) => [tag, moreTags?.[tag]?.slice(0, valueCount)]))).toEqual(
    Object.fromEntries(comparedTags.map((tag) => [tag, listedValues(hasLists).slice(0, valueCount)])),
  );
  expect(moreTags?.originalDate).toBe('1971-05-02');
});

test('a file without additional tags has none', async () => {
  expect(await readMoreTags(Buffer.concat([id3([id3Frame('TIT2', latin1Text('one'))]), silentMp3(40)]))).toBeNull();
});

test('frames of involved people and musicians name their roles', async () => {
  const frames = [
    id3Frame('TIPL', utf8Text('Producer\0Nobody\0mix\0Some One\0DJ-mix\0Some Two\0odd')),
    id3Frame('TMCL', utf8Text('lead vocals\0Anna\0guitar\0Ben\0\0Cleo\0drums\0')),
  ];
  expect(await readMoreTags(Buffer.concat([id3(frames), silentMp3(40)]))).toEqual({
    producer: ['Nobody'],
    mixer: ['Some One'],
    djmixer: ['Some Two'],
    performer: ['Anna (lead vocals)', 'Ben (guitar)', 'Cleo'],
  });
});

test('sort names, disc titles and days are kept', async () => {
  const comments = [
    'TITLESORT=Song, A',
    'ALBUMSORT=Album, An',
    'DISCSUBTITLE=Live',
    'DATE=1999-10-03',
    'ORIGINALDATE=1970',
  ];
  expect(await readMoreTags(flac([4, vorbisComment(...comments)]))).toEqual({
    titleSort: 'Song, A',
    albumSort: 'Album, An',
    discSubtitle: 'Live',
    date: '1999-10-03',
  });
});

test('an advisory is explicit, clean or says nothing', () => {
  const results = ['1', '4', '2', '0', 'yes'].map((advisory) => isExplicit({ advisory: [advisory] }));
  expect(results).toEqual([true, true, false, null, null]);
  expect(isExplicit({})).toBeNull();
  expect(MORE_TAGS.advisory.mp4Numbers).toEqual(['rtng']);
});
