import { describe, expect, it } from 'vitest';
import { extensionOf, kindOf } from '../../../server/files/file-kinds.ts';

describe('kindOf', () => {
  it.each([
    ['Song.FLAC', 'audio'],
    ['a.b.mp3', 'audio'],
    ['Folder.JPEG', 'picture'],
    ['Song.lrc', 'lyrics'],
    ['Album.cue', 'sheet'],
    ['Song.txt', 'lyrics'],
    ['notes.pdf', 'other'],
    ['mp3', 'other'],
    ['Disc 1', 'other'],
    ['.mp3', 'hidden'],
    ['.DS_Store', 'hidden'],
    ['.nomedia', 'ignore file'],
    ['.ignore', 'ignore file'],
    ['.ndignore', 'ignore file'],
    ['...Baby One More Time.flac', 'audio'],
    ['.5 The Gray Chapter', 'other'],
    ['._Song.mp3', 'hidden'],
  ])('%s is %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });
});

it('takes an extension in lower case, and none from a name without a dot', () => {
  expect(['A.MP3', 'a.tar.gz', 'mp3', '.hidden', 'dot.'].map(extensionOf)).toEqual(['mp3', 'gz', '', '', '']);
});
