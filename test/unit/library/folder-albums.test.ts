// When the files of a folder are one album although their artists differ, and whose it is.
import { describe, expect, test } from 'vitest';
import type { ArtistId } from '../../../server/db/ids.ts';
import { artistOf, isOneAlbum, type FolderTrack } from '../../../server/library/albums/folder-albums.ts';

const by = (artistId: number, ...numbers: (number | null)[]): FolderTrack[] =>
  numbers.map((trackNumber) => ({
    artistId: artistId as ArtistId,
    artistName: `Artist ${artistId}`,
    discNumber: null,
    trackNumber,
  }));
const onDisc = (discNumber: number, tracks: FolderTrack[]): FolderTrack[] =>
  tracks.map((track) => ({ ...track, discNumber }));
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

const soundtrack = [...by(1, ...upTo(36)), ...by(2, 37), ...by(3, 38)];
const perTrack = upTo(20).flatMap((n) => by(n, n));

describe('a folder', () => {
  test.each<[string, FolderTrack[], number, boolean]>([
    ['of a soundtrack with two guests is one album', soundtrack, 38, true],
    ['of a sampler is one', perTrack, 20, true],
    ['of a sampler without numbers is one', perTrack.map((track) => ({ ...track, trackNumber: null })), 20, true],
    ['with a few other files is one', perTrack, 25, true],
    ['of many things that has the title twice is none', [...by(1, 3), ...by(2, 7)], 50, false],
    ['with two albums of one title is none', [...by(1, 1, 2, 3), ...by(2, 1, 2, 3)], 6, false],
    ['with three albums of one title is none', [...by(1, 1, 2), ...by(2, 1, 2), ...by(3, 1, 2)], 6, false],
    ['of two discs is one', [...onDisc(1, perTrack), ...onDisc(2, perTrack)], 40, true],
    ['of two discs without disc numbers is one', [...perTrack, ...upTo(20).flatMap((n) => by(20 + n, n))], 40, true],
    ['with every track twice is one', [...perTrack, ...perTrack], 40, true],
  ])('%s', (_, group, inFolder, expected) => {
    expect(isOneAlbum(group, inFolder)).toBe(expected);
  });

  const named = (...names: string[]): FolderTrack[] =>
    names.flatMap((artistName, i) => by(i, i + 1).map((track) => ({ ...track, artistName })));

  test.each<[string, FolderTrack[], string | undefined]>([
    ['the artist of nearly all tracks', soundtrack, 'Artist 1'],
    ['the artist who has guests', named('MC One', 'MC One feat. MC Two', 'MC One (ft. Singer)'), 'MC One'],
    ['the artist who has guests on each', named('A featuring B', 'A Feat. C'), 'A'],
    ['nobody in particular', perTrack, undefined],
    ['nobody where one has half', [...by(1, 1, 2), ...by(2, 3), ...by(3, 4)], undefined],
  ])('is an album of %s', (_, group, expected) => {
    expect(artistOf(group)).toBe(expected);
  });
});
