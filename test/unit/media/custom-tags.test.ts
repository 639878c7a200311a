// Tags that a person named are read from every tag format, and the setting that names them is checked in words.
import { afterEach, describe, expect, it, test } from 'vitest';
import { SETTINGS } from '../../../server/config/settings.ts';
import { CUSTOM_TAG_SEPARATORS } from '../../../server/config/tag-separators.ts';
import { MAX_CUSTOM_TAGS, parseCustomTags } from '../../../server/db/custom-tags.ts';
import { toIdentity } from '../../../server/files/track-draft.ts';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { setCustomTags } from '../../../server/media/field-names.ts';
import { readAudio } from '../../../server/media/read.ts';
import { NO_SEPARATORS, separateValues } from '../../../server/media/tag-separators.ts';
import { flac, vorbisComment } from '../../support/audio-bytes.ts';
import { CUSTOM_NAME, listedValues, taggedFiles } from '../../support/tagged-files.ts';

afterEach(() => setCustomTags([]));

const readMore = async (bytes: Buffer) => toIdentity(await readAudio(bufferSource(bytes)), 'one').more;

describe('a custom tag', () => {
  it.each(taggedFiles)('is read from $name', async ({ bytes, hasLists }) => {
    expect(Object.keys((await readMore(bytes)) ?? {})).not.toContain('custom:OCCASION');
    setCustomTags([CUSTOM_NAME]);
    expect((await readMore(bytes))?.['custom:OCCASION']).toEqual(listedValues(hasLists));
  });

  it('may have several values in one text, and a name in any case', async () => {
    setCustomTags(['my occasion']);
    const audio = await readAudio(
      bufferSource(flac([4, vorbisComment('My Occasion=Party; Sunday\\\\Walk', 'MY OCCASION=R&B/Soul, slow')])),
    );
    separateValues(audio, { ...NO_SEPARATORS, custom: CUSTOM_TAG_SEPARATORS });
    expect(audio.tags['custom:MY OCCASION']).toEqual(['Party', 'Sunday', 'Walk', 'R&B/Soul, slow']);
  });

  it('never replaces a field', async () => {
    setCustomTags(['title']);
    expect(await readMore(flac([4, vorbisComment('TITLE=one')]))).toBeNull();
  });
});

test.each([
  ['', []],
  [' occasion , Songwriter,, OCCASION ', ['OCCASION', 'SONGWRITER']],
])('the setting %o', (text, names) => {
  expect(parseCustomTags(SETTINGS.CUSTOM_TAGS.schema.parse(text))).toEqual(names);
});

test.each([
  ['mood', 'must not contain MOOD, which Tonearm reads already'],
  ['OCCASION, album artist', 'must not contain ALBUM ARTIST, which Tonearm reads already'],
  ['OCCASION:NEW', 'must be names without : ; and =, unlike OCCASION:NEW'],
  ['x'.repeat(61), `must be names of at most 60 characters, unlike ${'X'.repeat(20)}…`],
  [Array.from({ length: MAX_CUSTOM_TAGS + 1 }, (_, i) => `A${i}`).join(), 'must be at most 20 names'],
])('refuses %o in words', (text, message) => {
  expect(SETTINGS.CUSTOM_TAGS.schema.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
