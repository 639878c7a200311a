import { expect, it } from 'vitest';
import { FORMATS } from '../../../server/media/audio-formats.ts';
import { sniff } from '../../../server/media/sniff.ts';

const beginnings = FORMATS.flatMap(([format, { magicBytes: begins = [] }]) =>
  begins.map((pattern): [string, string] => [format, pattern]),
);

it.each(beginnings)('%s is recognized by its first bytes %j, and not by fewer', (format, pattern) => {
  const bytes = Buffer.concat([Buffer.from(pattern.replaceAll('?', '\0'), 'latin1'), Buffer.alloc(64)]);
  expect(sniff(bytes)).toBe(format);
  expect(sniff(Buffer.concat([Buffer.alloc(7, 0x20), bytes]), 7)).toBe(format);
  bytes[pattern.length - 1] = 0x7e;
  expect(sniff(bytes)).toBeUndefined();
});

it('no extension is of two formats, and each is in lower case', () => {
  const allExtensions = FORMATS.flatMap(([, { extensions, alsoVideo: videoExtensions = [] }]) => [
    ...extensions,
    ...videoExtensions,
  ]);
  expect(new Set(allExtensions).size).toBe(allExtensions.length);
  expect(
    allExtensions.filter((extension) => extension !== extension.toLowerCase() || extension.startsWith('.')),
  ).toEqual([]);
});
