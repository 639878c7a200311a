import { describe, expect, it } from 'vitest';
import { commonParent, foldersToScan, withoutSubfolders } from '../../../server/files/folder-set.ts';

describe('the folders to scan', () => {
  it.each([
    { what: 'nothing', changed: [], scan: [] },
    { what: 'the same folder twice', changed: ['a/b', 'a/b'], scan: ['a/b'] },
    { what: 'a folder below another', changed: ['a/b/c', 'a', 'a/b'], scan: ['a'] },
    { what: 'names that only begin alike', changed: ['a', 'ab', 'a b', 'a.b/c'], scan: ['a', 'a b', 'a.b/c', 'ab'] },
    { what: 'the music folder itself', changed: ['a', '', 'b/c'], scan: [''] },
    { what: 'new things in two places', changed: ['a/b', 'c'], scan: ['a/b', 'c'] },
    { what: 'things gone from two places', changed: ['a/b', 'c'], scan: ['a/b', 'c'] },
    { what: 'a renamed folder', changed: ['artist', 'artist/new name'], scan: ['artist'] },
    { what: 'a folder moved to another artist', changed: ['rock/a', 'rock/b/album'], scan: ['rock/a', 'rock/b/album'] },
    { what: 'a file moved across the library', changed: ['a/b', 'c/d'], scan: ['a/b', 'c/d'] },
    {
      what: 'more folders than one scan takes',
      changed: Array.from({ length: 101 }, (_, i) => `all/${i}`),
      scan: ['all'],
    },
  ])('$what → $scan', ({ changed, scan }) => {
    expect(foldersToScan(changed)).toEqual(scan);
  });

  it('a folder is recognized as below its parent also when other names sort between them', () => {
    expect(withoutSubfolders(['a/b', 'a b', 'a!', 'a'])).toEqual(['a', 'a b', 'a!']);
  });

  it('the common parent is a folder, not a common beginning of two names', () => {
    expect(commonParent(['music/ab/1', 'music/ac/1'])).toBe('music');
    expect(commonParent(['music/ab', 'music/ab/1'])).toBe('music/ab');
    expect(commonParent([''])).toBe('');
  });
});
