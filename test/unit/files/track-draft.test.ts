// Fields that are taken from file names where tags are missing, and the fields of a track.
import { describe, expect, test } from 'vitest';
import { parseTrackPath, toAudio, toIdentity } from '../../../server/files/track-draft.ts';
import type { AudioRead, Tags } from '../../../server/media/types.ts';

describe('a name', () => {
  test.each<[string, string, number?, number?]>([
    // a number and a separator
    ['01 - Title.mp3', 'Title', 1],
    ['01 – Title.mp3', 'Title', 1],
    ['7 - Title.mp3', 'Title', 7],
    ['12. Title.flac', 'Title', 12],
    ['12) Title.flac', 'Title', 12],
    ['01.Title.ogg', 'Title', 1],
    ['01-Title.ogg', 'Title', 1],
    ['100 - Title.mp3', 'Title', 100],
    ['12 -Title.mp3', 'Title', 12],
    ['Artist/Album/03 - Title.m4a', 'Title', 3],
    ['3 - 99 Luftballons.mp3', '99 Luftballons', 3],
    ['01 - Artist - Title.mp3', 'Artist - Title', 1],
    ['00 - Hidden.mp3', 'Hidden'],
    // a number with a leading zero needs no separator
    ['07 Luftballons.mp3', 'Luftballons', 7],
    ['007 Bond.mp3', 'Bond', 7],
    ['05 9 to 5.mp3', '9 to 5', 5],
    // disc and track
    ['1-02 Title.mp3', 'Title', 2, 1],
    ['2-11 - Title.mp3', 'Title', 11, 2],
    ['1.02. Title.mp3', 'Title', 2, 1],
    ['CD1/01-03-Title.mp3', 'Title', 3, 1],
    // numbers that may be part of the title
    ['99 Luftballons.mp3', '99 Luftballons'],
    ['7 Seconds.mp3', '7 Seconds'],
    ['24-7.mp3', '24-7'],
    ['4.33.mp3', '4.33'],
    ['50-50 Chance.mp3', '50-50 Chance'],
    ['1999 - Title.mp3', '1999 - Title'],
    ['1979.mp3', '1979'],
    ['3OH!3.mp3', '3OH!3'],
    ['2Pac - Changes.mp3', '2Pac - Changes'],
    ['A1.mp3', 'A1'],
    ['A1 - Title.mp3', 'A1 - Title'],
    ['#1 Crush.mp3', '#1 Crush'],
    // a name that is only a number stays the title
    ['07.mp3', '07', 7],
    ['22.wav', '22', 22],
    ['Track 7.mp3', 'Track 7', 7],
    ['track07.mp3', 'track07', 7],
    ['Tracks 7.mp3', 'Tracks 7'],
    ['000.mp3', '000'],
    // underscores and dots are spaces
    ['01_-_Some_Song.mp3', 'Some Song', 1],
    ['03_Some_Song.mp3', 'Some Song', 3],
    ['_Song_.mp3', 'Song'],
    ['What_ (Live).mp3', 'What_ (Live)'],
    ['S.O.S.mp3', 'S.O.S'],
    ['...And Justice.mp3', '...And Justice'],
    ['01. ...And Justice.mp3', '...And Justice', 1],
    ['Mr. X', 'Mr. X'],
    ['01. Song', 'Song', 1],
    ['Song.FLAC', 'Song'],
    ['Song.mp3.flac', 'Song.mp3'],
    ['Song.txt', 'Song.txt'],
    // names without information
    ['a/b/.mp3', '.mp3'],
    ['- .mp3', '-'],
    ['01 - .mp3', '-', 1],
    [' .mp3', ' .mp3'],
    ['___.mp3', '___.mp3'],
    ['夜に駆ける.mp3', '夜に駆ける'],
    ['02 夜に駆ける.mp3', '夜に駆ける', 2],
  ])('%j is %j, track %j of disc %j', (path, title, trackNumber, discNumber) => {
    expect(parseTrackPath(path)).toEqual({ title, trackNumber, discNumber });
  });

  test('of any length is parsed quickly', () => {
    for (const name of [
      '1'.repeat(50_000),
      `${' - '.repeat(20_000)}x`,
      `01${' '.repeat(50_000)}`,
      '_'.repeat(50_000),
      `1-02${' -'.repeat(50_000)}`,
      `track${' '.repeat(50_000)}x`,
    ]) {
      expect(parseTrackPath(name).title).not.toBe('');
    }
  });
});

const emptyTags: Tags = { artists: [], albumArtists: [], genres: [] };
const toAudioRead = (tags: Partial<Tags>, fields: Partial<AudioRead> = {}): AudioRead => ({
  facts: {
    format: 'mp3',
    codec: 'mp3',
    durationMs: 1000.6,
    bitrateKbps: 127.7,
    sampleRateHz: 44_100,
    channels: 2,
    lossless: false,
  },
  tags: { ...emptyTags, ...tags },
  pictures: [],
  reader: 'own',
  ...fields,
});

describe('an identity', () => {
  test('without a title in the tags takes title and numbers from the path, with that provenance', () => {
    expect(toIdentity(toAudioRead({}), 'a/2-03 Song.mp3')).toMatchObject({
      title: 'Song',
      trackNumber: 3,
      discNumber: 2,
      artists: [],
      provenance: { title: 'path', trackNumber: 'path', discNumber: 'path' },
    });
    expect(toIdentity(toAudioRead({}), 'Song.mp3').provenance).toEqual({ title: 'path' });
  });

  test('keeps the numbers of the tags if only the title is missing', () => {
    const identity = toIdentity(toAudioRead({ trackNumber: 9, discNumber: 4 }), '2-03 Song.mp3');
    expect(identity).toMatchObject({ title: 'Song', trackNumber: 9, discNumber: 4 });
    expect(identity.provenance).toEqual({ title: 'path' });
  });

  test('with a title in the tags takes nothing from the path', () => {
    expect(toIdentity(toAudioRead({ title: '99 Problems' }), '2-03 Song.mp3')).toMatchObject({
      title: '99 Problems',
      trackNumber: undefined,
      discNumber: undefined,
      provenance: undefined,
    });
  });

  test.each<[string, number | undefined]>([
    ['Album/CD1/01.mp3', 1],
    ['Album/Disc 2 - Live/01.mp3', 2],
    ['cd_03/01.mp3', 3],
    ['CD80s Hits/01.mp3', undefined],
    ['Album/CD Singles/01.mp3', undefined],
    ['CD1/Other/01.mp3', undefined],
  ])('takes the disc from the folder of %s', (sourceId, discNumber) => {
    const identity = toIdentity(toAudioRead({ title: 'T' }), sourceId);
    expect([identity.discNumber, identity.provenance]).toEqual([discNumber, discNumber && { discNumber: 'path' }]);
    expect(toIdentity(toAudioRead({ title: 'T', discNumber: 9 }), sourceId).discNumber).toBe(9);
  });

  test('keeps the display name with the artists, or uses it as the only artist', () => {
    expect(toIdentity(toAudioRead({ title: 'T', artists: ['A', 'B'], artist: 'A feat. B' }), 'x')).toMatchObject({
      artists: ['A', 'B'],
      artist: 'A feat. B',
    });
    expect(toIdentity(toAudioRead({ title: 'T', artist: 'A feat. B' }), 'x').artists).toEqual(['A feat. B']);
  });

  test('keeps the album artist as written, else joins all of them', () => {
    expect(toIdentity(toAudioRead({ albumArtists: ['A', 'B'], albumArtist: 'A & B' }), 'x').albumArtist).toBe('A & B');
    expect(toIdentity(toAudioRead({ albumArtists: ['A', 'B'] }), 'x').albumArtist).toBe('A, B');
    expect(toIdentity(toAudioRead({}), 'x').albumArtist).toBeUndefined();
  });
});

test('audio is rounded to whole milliseconds and kilobits, and unknown values are null', () => {
  const storedFile = { storageUri: 'local:x', contentHash: 'c', audioHash: null, sizeBytes: 5 };
  expect(toAudio(toAudioRead({ replayGain: { trackGainDb: -7.5 } }), storedFile)).toMatchObject({
    durationMs: 1001,
    bitrateKbps: 128,
    bitDepth: null,
    encoderDelay: null,
    trackGainDb: -7.5,
    albumPeak: null,
    hasPicture: false,
    availability: 'available',
    ...storedFile,
  });
  expect(toAudio(toAudioRead({}, { pictures: [{ mime: 'image/jpeg', kind: 3 }] }), storedFile).hasPicture).toBe(true);
});
