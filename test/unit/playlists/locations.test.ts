import { expect, test } from 'vitest';
import { commonTail, readingsOf, titleInName } from '../../../server/playlists/file-locations.ts';

test.each([
  ['Quays/Harbour/01 Tide.mp3', ['Quays/Harbour/01 Tide.mp3']],
  ['./Quays/../Harbour/./Tide.mp3', ['Harbour/Tide.mp3']],
  ['../../../../etc/passwd', ['etc/passwd']],
  ['/mnt/music/Tide.mp3', ['mnt/music/Tide.mp3']],
  ['D:\\Music\\Quays\\Tide.mp3', ['Music/Quays/Tide.mp3', 'D:\\Music\\Quays\\Tide.mp3']],
  ['\\\\nas\\share\\Tide.mp3', ['nas/share/Tide.mp3', '\\\\nas\\share\\Tide.mp3']],
  ['AC\\DC/Tide.mp3', ['AC/DC/Tide.mp3', 'AC\\DC/Tide.mp3']],
  ['file:///home/ann/01%20Tide.mp3', ['home/ann/01 Tide.mp3']],
  ['file://localhost/C:/Music/Tide%23.mp3', ['Music/Tide#.mp3']],
  ['FILE:/home/ann/Tide.mp3', ['home/ann/Tide.mp3']],
  ['file:///B%F6rse/J%F3ga.mp3', ['Börse/Jóga.mp3']],
  ['Quays/100%25 Tide.mp3', ['Quays/100%25 Tide.mp3', 'Quays/100% Tide.mp3']],
  ['Quays/100% Tide.mp3', ['Quays/100% Tide.mp3']],
  ['Bjo\u0308rk/Jo\u0301ga.mp3', ['Björk/Jóga.mp3']],
  ['smb://nas/music/Quays/Tide%20In.mp3', ['nas/music/Quays/Tide In.mp3']],
  ['http://radio.example/stream.mp3', []],
  ['spotify://track/1', []],
  ['  ', []],
  ['..', []],
])('%s is read as %j', (location, expected) => {
  expect(readingsOf(location).map((parts) => parts.join('/'))).toEqual(expected);
});

test.each([
  ['a/b/c.mp3', 'x/b/c.mp3', 2],
  ['A/B/C.MP3', 'a/b/c.mp3', 3],
  ['b/c.mp3', 'c.mp3', 1],
  ['a/b.mp3', 'a/c.mp3', 0],
  ['', 'c.mp3', 0],
])('%s and %s have the same last %i parts', (a, b, commonCount) => {
  expect(commonTail(a.split('/').filter(Boolean), b.split('/'))).toBe(commonCount);
});

test.each([
  ['01 Tide.mp3', 'Tide'],
  ['1-03 - Tide.flac', 'Tide'],
  ['12. Tide.ogg', 'Tide'],
  ['Quays - Tide.mp3', 'Quays - Tide'],
  ['99 Luftballons.mp3', 'Luftballons'],
  ['1999.mp3', '1999'],
  ['07.mp3', '07'],
  ['Some_Song.m4a', 'Some Song'],
])('the file %s has the title %s', (name, title) => {
  expect(titleInName(name)).toBe(title);
});
