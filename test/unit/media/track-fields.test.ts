// Every field of the table is read from every kind of tag.
import { expect, test } from 'vitest';
import { TAGGED_FIELDS } from '../../../server/db/track-fields.ts';
import { toIdentity } from '../../../server/files/track-draft.ts';
import { bufferSource } from '../../../server/media/byte-source.ts';
import { readAudio } from '../../../server/media/read.ts';
import { taggedFiles, taggedValue } from '../../support/tagged-files.ts';

test.each(taggedFiles)('$name', async ({ name, bytes, hasLists }) => {
  const identity = toIdentity(await readAudio(bufferSource(bytes)), name);
  expect(identity.title).toBe(name);
  expect(Object.fromEntries(TAGGED_FIELDS.map(({ field }) => [field, identity[field]]))).toEqual(
    Object.fromEntries(TAGGED_FIELDS.map((spec) => [spec.field, taggedValue(spec, hasLists)])),
  );
});
