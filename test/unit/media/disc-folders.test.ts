import { expect, test } from 'vitest';
import { albumFolderOf, isDiscFolder } from '../../../server/media/disc-folders.ts';

test.each([
  'CD1',
  'cd 2',
  'Disc-03',
  'disk_4',
  'DVD 1',
  'LP2',
  'Side B',
  'Vinyl 1',
  'CD 1 - Jupiter',
  'Disc 2: Live',
  'CD2 (Bonus)',
  'Disc 1 [1999]',
  'CD1 – Früh',
])('%s holds a disc', (name) => expect(isDiscFolder(name)).toBe(true));

test.each(['Discography', 'CDs of 1999', 'Sidewalk', '1999 - Album', 'Disco 2000', 'Album CD1', 'LPs', ''])(
  '%s does not hold exactly one disc',
  (name) => expect(isDiscFolder(name)).toBe(false),
);

test('the folder of the whole album is the one above', () => {
  expect(albumFolderOf('Band/Album/CD1')).toBe('Band/Album');
  expect(albumFolderOf('CD1')).toBe('');
  expect(albumFolderOf('Band/Album')).toBeUndefined();
});
