// Tests when the files of a folder form one album although their artists differ, and which album artist it gets.
import { describe, expect, test } from 'vitest';
import type { ArtistId } from '../../../server/db/ids.ts';
import { findAlbumArtist } from '../../../server/library/albums/compilations.ts';
import { isOneAlbum, type FolderTrack } from '../../../server/library/albums/folder-albums.ts';

const toTracks = (artistId: number, ...numbers: (number | null)[]): FolderTrack[] =>
  numbers.map((trackNumber) => ({
    artistId: artistId as ArtistId,
    artistName: `Artist ${artistId}`,
    discNumber: null,
    trackNumber,
  }));
const onDisc = (discNumber: number, tracks: FolderTrack[]): FolderTrack[] =>
  tracks.map((track) => ({ ...track, discNumber }));
const listNumbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

const soundtrack = [...toTracks(1, ...listNumbers(36)), ...toTracks(2, 37), ...toTracks(3, 38)];
const samplerTracks = listNumbers(20).flatMap((n) => toTracks(n, n));

describe('a folder', () => {
  test.each<[string, FolderTrack[], number, boolean]>([
    ['of a soundtrack with two guests is one album', soundtrack, 38, true],
    ['of a sampler is one', samplerTracks, 20, true],
    ['of a sampler without numbers is one', samplerTracks.map((track) => ({ ...track, trackNumber: null })), 20, true],
    ['with a few other files is one', samplerTracks, 25, true],
    ['of many things that has the title twice is none', [...toTracks(1, 3), ...toTracks(2, 7)], 50, false],
    ['with two albums of one title is none', [...toTracks(1, 1, 2, 3), ...toTracks(2, 1, 2, 3)], 6, false],
    [
      'with three albums of one title is none',
      [...toTracks(1, 1, 2), ...toTracks(2, 1, 2), ...toTracks(3, 1, 2)],
      6,
      false,
    ],
    ['of two discs is one', [...onDisc(1, samplerTracks), ...onDisc(2, samplerTracks)], 40, true],
    [
      'of two discs without disc numbers is one',
      [...samplerTracks, ...listNumbers(20).flatMap((n) => toTracks(20 + n, n))],
      40,
      true,
    ],
    ['with every track twice is one', [...samplerTracks, ...samplerTracks], 40, true],
  ])('%s', (_, group, fileCount, expected) => {
    expect(isOneAlbum(group, fileCount)).toBe(expected);
  });

  const withArtists = (...names: string[]): FolderTrack[] =>
    names.flatMap((artistName, i) => toTracks(i, i + 1).map((track) => ({ ...track, artistName })));

  test.each<[string, FolderTrack[], string | undefined]>([
    ['the artist of nearly all tracks', soundtrack, 'Artist 1'],
    ['the artist who has guests', withArtists('MC One', 'MC One feat. MC Two', 'MC One (ft. Singer)'), 'MC One'],
    ['the artist who has guests on each', withArtists('A featuring B', 'A Feat. C'), 'A'],
    ['nobody in particular', samplerTracks, undefined],
    ['nobody where one has half', [...toTracks(1, 1, 2), ...toTracks(2, 3), ...toTracks(3, 4)], undefined],
  ])('is an album of %s', (_, group, expected) => {
    expect(findAlbumArtist(group.map(({ artistName }) => artistName))).toBe(expected);
  });
});
