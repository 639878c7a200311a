// Tests which lyrics match a track: generated tables of songs that are spelled differently, and of similar but
// different songs.
import { expect, test } from 'vitest';
import { isLyricsOfSong, pickLyrics, type OfferedLyrics, type WantedSong } from '../../../server/lyrics/match.ts';
import { seededRandom } from '../../support/test-random.ts';

const TITLE_WORDS =
  'harbour lights winter paper glass river morning silver hollow northern ember quiet signal Straße über élan'.split(
    ' ',
  );
const random = seededRandom(24);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const name = (words: number): string => Array.from({ length: words }, () => pick(TITLE_WORDS)).join(' ');

interface Case {
  wantedSong: WantedSong;
  offeredLyrics: OfferedLyrics;
}

function makeCase(number: number): Case {
  const artist = `The ${name(2)} ${number}`;
  const durationMs = 120_000 + Math.floor(random() * 200_000);
  const title = `${name(2)} ${number}`;
  const album = `${name(2)} album ${number}`;
  return {
    wantedSong: { title, artistName: artist, artists: [artist], album, durationMs },
    offeredLyrics: {
      id: number,
      title,
      artistName: artist,
      album,
      duration: Math.round(durationMs / 1_000),
      isInstrumental: false,
      plain: `${name(8)}\n${name(8)}`,
      synced: null,
    },
  };
}

/** Functions that return the song in a different spelling. */
const SPELLINGS: ((one: Case) => Case)[] = [
  (song) => song,
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, title: offered.title.toUpperCase() },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, artistName: offered.artistName.replace(/^The /, '') },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: { ...wanted, title: `${wanted.title} (feat. Ida Lund)`, artists: [...wanted.artists, 'Ida Lund'] },
    offeredLyrics: offered,
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, artistName: `${offered.artistName} ft. Ida Lund` },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, title: `${offered.title} - 2011 Remaster` },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, title: `${offered.title} (Remastered 2009)` },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, album: `${offered.album} (Deluxe Edition)` },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, album: null },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, album: 'Hits of the Harbour' },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, duration: (wanted.durationMs + 1_900) / 1_000 },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: { ...wanted, title: `${wanted.title} & you`, artistName: 'A & B', artists: ['A', 'B'] },
    offeredLyrics: { ...offered, title: `${offered.title} and You`, artistName: 'B, A' },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: wanted,
    offeredLyrics: { ...offered, title: offered.title.normalize('NFD').replace(/\p{M}/gu, '') },
  }),
  ({ wantedSong: wanted, offeredLyrics: offered }) => ({
    wantedSong: { ...wanted, title: `Don’t ${wanted.title}` },
    offeredLyrics: { ...offered, title: `Don't ${offered.title}` },
  }),
];

/** Functions that return lyrics of a similar but different song. */
const LOOK_ALIKES: ((one: Case) => OfferedLyrics)[] = [
  ({ offeredLyrics: offered }) => ({ ...offered, artistName: `${offered.artistName} Tribute Band` }),
  ({ offeredLyrics: offered }) => ({ ...offered, artistName: offered.artistName.replace(/\d+$/, '') }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: `${offered.title} (Live)` }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: `${offered.title} - Acoustic Version` }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: `${offered.title} (Remix)` }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: `${offered.title}, Pt. 2` }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: `${offered.title} reprise` }),
  ({ offeredLyrics: offered }) => ({ ...offered, title: offered.title.slice(0, offered.title.lastIndexOf(' ')) }),
  ({ offeredLyrics: offered, wantedSong: wanted }) => ({ ...offered, duration: (wanted.durationMs + 2_001) / 1_000 }),
  ({ offeredLyrics: offered, wantedSong: wanted }) => ({ ...offered, duration: (wanted.durationMs - 15_000) / 1_000 }),
  ({ offeredLyrics: offered }) => ({ ...offered, duration: null }),
  ({ offeredLyrics: offered }) => ({ ...offered, album: `${offered.album ?? ''} (Live at the Harbour)` }),
  ({ offeredLyrics: offered }) => ({ ...offered, album: 'Harbour (Karaoke)' }),
  ({ offeredLyrics: offered }) => ({ ...offered, artistName: 'Various Artists' }),
];

test('of 1,000 songs that are spelled differently, at least 950 are found', () => {
  let foundCount = 0;
  for (let n = 0; n < 1_000; n++) {
    const { wantedSong: wanted, offeredLyrics: offered } = (SPELLINGS[n % SPELLINGS.length] as (one: Case) => Case)(
      makeCase(n),
    );
    const otherLyrics = [makeCase(10_000 + n).offeredLyrics, makeCase(20_000 + n).offeredLyrics];
    if (pickLyrics(wanted, [...otherLyrics, offered])?.id === offered.id) foundCount++;
  }
  expect(foundCount).toBeGreaterThanOrEqual(950);
});

test('of 1,000 songs that look alike, none is taken', () => {
  const falseMatches: unknown[] = [];
  for (let n = 0; n < 1_000; n++) {
    const songCase = makeCase(n);
    const lookAlike = (LOOK_ALIKES[n % LOOK_ALIKES.length] as (one: Case) => OfferedLyrics)(songCase);
    if (pickLyrics(songCase.wantedSong, [lookAlike])) falseMatches.push([songCase.wantedSong, lookAlike]);
  }
  expect(falseMatches).toEqual([]);
});

test('hostile names and lyrics are compared in a time that grows with their length', () => {
  const { wantedSong: wanted, offeredLyrics: offered } = makeCase(1);
  const brackets = '['.repeat(256 << 10);
  for (const blanks of [' '.repeat(2_000), '\n'.repeat(2_000), ' - '.repeat(600)]) {
    const title = `${wanted.title}${blanks}x`;
    const hostileLyrics = [1, 2, 3].map((id) => ({
      ...offered,
      id,
      title,
      artistName: `${blanks}x`,
      plain: `${brackets}${id}`,
    }));
    expect(pickLyrics({ ...wanted, title, artistName: `${blanks}x`, artists: [] }, hostileLyrics)).toBeUndefined();
  }
});

test('guests with brackets in their names, and one edition of an album after another, are no part of the name', () => {
  const { wantedSong: wanted, offeredLyrics: offered } = makeCase(1);
  const intro = { ...wanted, title: 'Intro' }; // this title matches only together with its album
  for (const title of ['Intro (feat. Ida [of Lund])', 'Intro [with Ida (Lund) & Bo]'])
    for (const edition of [' - Deluxe Edition - Remastered', ' [Deluxe Edition] (Remastered 2009)'])
      expect(isLyricsOfSong(intro, { ...offered, title, album: `${offered.album}${edition}` }), title + edition).toBe(
        true,
      );
});

test('two songs of one name are only told apart by the album', () => {
  const { wantedSong: wanted, offeredLyrics: offered } = makeCase(1);
  const otherLyrics = { ...offered, id: 2, album: 'Another album', plain: 'entirely different words' };
  expect(pickLyrics(wanted, [otherLyrics, offered])?.id).toBe(1);
  expect(pickLyrics({ ...wanted, album: null }, [otherLyrics, offered])).toBeUndefined();
  const intro = { ...wanted, title: 'Intro' };
  expect(isLyricsOfSong(intro, { ...offered, title: 'Intro', album: 'Another album' })).toBe(false);
  expect(isLyricsOfSong(intro, { ...offered, title: 'Intro' })).toBe(true);
});
