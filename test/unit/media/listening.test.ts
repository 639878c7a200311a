// Ratings and counts of plays as players write them into tags.
import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../../server/media/byte-source.ts';
import {
  parsePlayedAt,
  parsePlays,
  parseRating,
  parseRatingByte,
  parseRatingPart,
  parseSharedRating,
  starsOfPopm,
} from '../../../server/media/rating-values.ts';
import { readAudio } from '../../../server/media/read.ts';
import type { Listening } from '../../../server/media/types.ts';
import {
  apeTag,
  ascii,
  atom,
  flac,
  id3,
  id3Frame,
  id3FrameV22,
  silentMp3,
  u32,
  vorbisComment,
} from '../../support/audio-bytes.ts';
import { m4aWith, taggedFiles } from '../../support/tagged-files.ts';

const readListening = async (bytes: Buffer): Promise<Listening | undefined> =>
  (await readAudio(bufferSource(bytes))).tags.listening;
const popm = (owner: string, rating: number, ...counter: number[]): Buffer =>
  id3Frame('POPM', Buffer.concat([ascii(`${owner}\0`), Buffer.from([rating, ...counter])]));
const named = (name: string, value: string): Buffer => id3Frame('TXXX', Buffer.from(`\x03${name}\0${value}`));
const mp3 = (...frames: Buffer[]): Promise<Listening | undefined> =>
  readListening(Buffer.concat([id3(frames), silentMp3(40)]));
const vorbis = (...comments: string[]): Promise<Listening | undefined> =>
  readListening(flac([4, vorbisComment(...comments)]));

describe('the byte of a POPM frame', () => {
  test.each([
    ['Windows Media Player 9 Series', [1, 64, 128, 196, 255], [1, 2, 3, 4, 5]],
    ['rating@winamp.com', [1, 64, 128, 196, 255], [1, 2, 3, 4, 5]],
    ['MusicBee', [13, 1, 54, 64, 118, 128, 186, 196, 242, 255], [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]],
    ['no@email', [13, 1, 54, 64, 118, 128, 186, 196, 242, 255], [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]],
    ['no@email', [26, 51, 102, 153, 178, 204, 230, 255], [0.5, 1, 2, 3, 3.5, 4, 4.5, 5]],
    ['Banshee', [1, 64, 128, 192, 255], [1, 2, 3, 4, 5]],
    ['', [1, 65, 128, 192, 255], [1, 2, 3, 4, 5]],
    ['traktor@native-instruments.de', [51, 102, 153, 204, 255], [1, 2, 3, 4, 5]],
    ['quodlibet@lists.sacredchao.net', [64, 128, 191, 255], [1.5, 2.5, 3.5, 5]],
    ['ratings@xbmc.org', [26, 128, 230], [0.5, 2.5, 4.5]],
    ['anybody', [0], [undefined]],
  ])('of %s', (owner, bytes, stars) => expect(bytes.map((byte) => starsOfPopm(owner, byte))).toEqual(stars));
});

test.each<[(text: string) => number | undefined, [string, number | undefined][]]>([
  [
    parseRating,
    [
      ['0', undefined],
      ['3', 3],
      ['3.5', 3.5],
      ['4,5', 4.5],
      ['1', 1],
      ['1.0', 5],
      ['0.8', 4],
      ['8', 4],
      ['10', 0.5],
      ['20', 1],
      ['70', 3.5],
      ['100', 5],
      ['196', 4],
      ['255', 5],
      ['256', undefined],
      ['★★★', 3],
      ['★★★½', 3.5],
      ['★★☆☆☆', 2],
      ['traktor@native-instruments.de|204|3', 4],
      ['Explicit', undefined],
      ['PG-13', undefined],
      ['-3', undefined],
    ],
  ],
  [
    parseRatingPart,
    [
      ['0.0', undefined],
      ['0.75', 4],
      ['1', 5],
      ['0.01', 0.5],
      ['2', undefined],
    ],
  ],
  [
    parseRatingByte,
    [
      ['1', 1],
      ['196', 4],
      ['300', undefined],
    ],
  ],
  [
    parseSharedRating,
    [
      ['1', 1],
      ['25', 2],
      ['75', 4],
      ['80', 4],
      ['99', 5],
      ['0', undefined],
    ],
  ],
  [
    parsePlays,
    [
      ['12', 12],
      ['12.0', 12],
      ['0', undefined],
      ['12.5', undefined],
      ['99999999', undefined],
      ['many', undefined],
    ],
  ],
  [
    parsePlayedAt,
    [
      ['132174546506372687', Date.UTC(2019, 10, 5, 19, 10, 50, 637)],
      ['1572981050', Date.UTC(2019, 10, 5, 19, 10, 50)],
      ['1572981050637', Date.UTC(2019, 10, 5, 19, 10, 50, 637)],
      ['2019-11-05 19:10:50', Date.UTC(2019, 10, 5, 19, 10, 50)],
      ['2019-11-05T20:10:50+01:00', Date.UTC(2019, 10, 5, 19, 10, 50)],
      ['2019-11-05', Date.UTC(2019, 10, 5)],
      ['2019-13-45 99:99', undefined],
      ['yesterday', undefined],
      ['0', undefined],
    ],
  ],
])('%o', (parse, cases) => {
  for (const [text, value] of cases) expect([text, parse(text)]).toEqual([text, value]);
});

describe('an MP3', () => {
  test('has the rating and the plays of its POPM frame', async () =>
    expect(await mp3(popm('no@email', 186, 0, 0, 1, 4))).toEqual({ rating: 3.5, plays: 260 }));

  test('has the plays of a counter with more than four bytes, unless there are too many', async () => {
    expect(await mp3(popm('MusicBee', 255, 0, 0, 0, 0, 0, 9))).toEqual({ rating: 5, plays: 9 });
    expect(await mp3(popm('MusicBee', 255, 9, 0, 0, 0, 0))).toEqual({ rating: 5 });
    expect(await mp3(popm('MusicBee', 255))).toEqual({ rating: 5 });
  });

  test('with several POPM frames has the rating of MusicBee, MediaMonkey, others, and last Windows', async () => {
    const windows = popm('Windows Media Player 9 Series', 196);
    const [other, monkey, bee] = [popm('me@example.com', 64), popm('no@email', 118), popm('MusicBee', 13)];
    expect(await mp3(windows, other, monkey, bee)).toEqual({ rating: 0.5 });
    expect(await mp3(windows, other, monkey)).toEqual({ rating: 2.5 });
    expect(await mp3(windows, other)).toEqual({ rating: 2 });
    expect(await mp3(popm('MusicBee', 0), windows)).toEqual({ rating: 4 });
  });

  test('has its highest count of plays, and the rating by FMPS before others', async () =>
    expect(
      await mp3(
        popm('no@email', 255, 0, 0, 0, 7),
        id3Frame('PCNT', u32(12)),
        named('FMPS_Rating', '0.7'),
        named('FMPS_Playcount', '3.0'),
      ),
    ).toEqual({ rating: 3.5, plays: 12 }));

  test('has the values that foobar2000 and others write into named frames', async () => {
    const statistics = { plays: 4, lastPlayedMs: Date.UTC(2019, 10, 5, 19, 10, 50, 637) };
    expect(
      await mp3(named('play_count', '4'), named('last_played_timestamp', '132174546506372687'), named('rating', '3')),
    ).toEqual({ rating: 3, ...statistics });
    expect(await mp3(named('FMPS_Rating_User', 'Anna::0.9;;Ben::0.2'))).toEqual({ rating: 4.5 });
  });

  test('of ID3v2.2 has them, too', async () => {
    const frames = [
      id3FrameV22('POP', Buffer.concat([ascii('no@email\0'), Buffer.from([64, 0, 0, 0, 2])])),
      id3FrameV22('CNT', u32(3)),
    ];
    expect(await readListening(Buffer.concat([id3(frames, 2), silentMp3(40)]))).toEqual({ rating: 2, plays: 3 });
  });

  test('with damaged frames has no rating', async () => {
    expect(await mp3(id3Frame('POPM', ascii('no end of the name')))).toBeUndefined();
    expect(await mp3(id3Frame('POPM', ascii('owner\0')), id3Frame('PCNT', Buffer.alloc(400, 255)))).toBeUndefined();
  });

  test('has the rating of an APE tag', async () =>
    expect(await readListening(Buffer.concat([silentMp3(40), apeTag({ Rating: '80', PLAY_COUNTER: '6' })]))).toEqual({
      rating: 4,
      plays: 6,
    }));
});

describe('Vorbis comments', () => {
  test.each<[string[], Listening | undefined]>([
    [['RATING=60'], { rating: 3 }],
    [['RATING=5', 'PLAYCOUNT=11'], { rating: 5, plays: 11 }],
    [['RATING:me@example.com=0.75', 'PLAYCOUNT:me@example.com=2'], { rating: 4, plays: 2 }],
    [['RATING WMP=196'], { rating: 4 }],
    [['RATING=★★★★'], { rating: 4 }],
    [['RATING=traktor@native-instruments.de|153|0'], { rating: 3 }],
    [['FMPS_RATING=0.5', 'RATING=100'], { rating: 2.5 }],
    [['RATING=0', 'PLAY_COUNT=0'], undefined],
    [['RATING=mature', 'TITLE=x'], undefined],
  ])('%j', async (comments, listening) => expect(await vorbis(...comments)).toEqual(listening));
});

test('MP4 has the atom rate, and free-form names', async () => {
  const data = (value: string): Buffer => atom('data', u32(1), u32(0), Buffer.from(value));
  const freeForm = (name: string, value: string): Buffer =>
    atom('----', atom('mean', u32(0), ascii('com.apple.iTunes')), atom('name', u32(0), ascii(name)), data(value));
  expect(await readListening(m4aWith(atom('rate', data('80')), freeForm('PLAY_COUNT', '5')))).toEqual({
    rating: 4,
    plays: 5,
  });
  expect(await readListening(m4aWith(freeForm('RATING', '3')))).toEqual({ rating: 3 });
});

test('files without ratings have none', async () => {
  for (const { bytes } of taggedFiles) expect(await readListening(bytes)).toBeUndefined();
});
