import { expect, it } from 'vitest';
import { FORMATS } from '../../../server/media/audio-formats.ts';
import { sniff } from '../../../server/media/sniff.ts';

const beginnings = FORMATS.flatMap(([format, { begins = [] }]) =>
  begins.map((begin): [string, string] => [format, begin]),
);

it.each(beginnings)('%s is recognized by its first bytes %j, and not by fewer', (format, begin) => {
  const bytes = Buffer.concat([Buffer.from(begin.replaceAll('?', '\0'), 'latin1'), Buffer.alloc(64)]);
  expect(sniff(bytes)).toBe(format);
  expect(sniff(Buffer.concat([Buffer.alloc(7, 0x20), bytes]), 7)).toBe(format);
  bytes[begin.length - 1] = 0x7e;
  expect(sniff(bytes)).toBeUndefined();
});

it('no extension is of two formats, and each is in lower case', () => {
  const all = FORMATS.flatMap(([, { extensions, alsoVideo = [] }]) => [...extensions, ...alsoVideo]);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((extension) => extension !== extension.toLowerCase() || extension.startsWith('.'))).toEqual([]);
});
