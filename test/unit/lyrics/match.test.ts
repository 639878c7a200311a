// Which lyrics are of a track: generated tables of songs that are spelled differently, and of songs that only look
// alike.
import { expect, test } from 'vitest';
import { isLyricsOfSong, pickLyrics, type OfferedLyrics, type WantedSong } from '../../../server/lyrics/match.ts';
import { seededRandom } from '../../support/test-random.ts';

const WORDS =
  'harbour lights winter paper glass river morning silver hollow northern ember quiet signal Straße über élan'.split(
    ' ',
  );
const random = seededRandom(24);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const name = (words: number): string => Array.from({ length: words }, () => pick(WORDS)).join(' ');

interface Case {
  wanted: WantedSong;
  offered: OfferedLyrics;
}

function song(n: number): Case {
  const artist = `The ${name(2)} ${n}`;
  const durationMs = 120_000 + Math.floor(random() * 200_000);
  const title = `${name(2)} ${n}`;
  const album = `${name(2)} album ${n}`;
  return {
    wanted: { title, artistName: artist, artists: [artist], album, durationMs },
    offered: {
      id: n,
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

/** Ways in which the same song is written. */
const SPELLINGS: ((one: Case) => Case)[] = [
  (one) => one,
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, title: offered.title.toUpperCase() } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, artistName: offered.artistName.replace(/^The /, '') } }),
  ({ wanted, offered }) => ({
    wanted: { ...wanted, title: `${wanted.title} (feat. Ida Lund)`, artists: [...wanted.artists, 'Ida Lund'] },
    offered,
  }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, artistName: `${offered.artistName} ft. Ida Lund` } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, title: `${offered.title} - 2011 Remaster` } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, title: `${offered.title} (Remastered 2009)` } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, album: `${offered.album} (Deluxe Edition)` } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, album: null } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, album: 'Hits of the Harbour' } }),
  ({ wanted, offered }) => ({ wanted, offered: { ...offered, duration: (wanted.durationMs + 1_900) / 1_000 } }),
  ({ wanted, offered }) => ({
    wanted: { ...wanted, title: `${wanted.title} & you`, artistName: 'A & B', artists: ['A', 'B'] },
    offered: { ...offered, title: `${offered.title} and You`, artistName: 'B, A' },
  }),
  ({ wanted, offered }) => ({
    wanted,
    offered: { ...offered, title: offered.title.normalize('NFD').replace(/\p{M}/gu, '') },
  }),
  ({ wanted, offered }) => ({
    wanted: { ...wanted, title: `Don’t ${wanted.title}` },
    offered: { ...offered, title: `Don't ${offered.title}` },
  }),
];

/** Other songs that look like it. */
const LOOK_ALIKES: ((one: Case) => OfferedLyrics)[] = [
  ({ offered }) => ({ ...offered, artistName: `${offered.artistName} Tribute Band` }),
  ({ offered }) => ({ ...offered, artistName: offered.artistName.replace(/\d+$/, '') }),
  ({ offered }) => ({ ...offered, title: `${offered.title} (Live)` }),
  ({ offered }) => ({ ...offered, title: `${offered.title} - Acoustic Version` }),
  ({ offered }) => ({ ...offered, title: `${offered.title} (Remix)` }),
  ({ offered }) => ({ ...offered, title: `${offered.title}, Pt. 2` }),
  ({ offered }) => ({ ...offered, title: `${offered.title} reprise` }),
  ({ offered }) => ({ ...offered, title: offered.title.slice(0, offered.title.lastIndexOf(' ')) }),
  ({ offered, wanted }) => ({ ...offered, duration: (wanted.durationMs + 2_001) / 1_000 }),
  ({ offered, wanted }) => ({ ...offered, duration: (wanted.durationMs - 15_000) / 1_000 }),
  ({ offered }) => ({ ...offered, duration: null }),
  ({ offered }) => ({ ...offered, album: `${offered.album ?? ''} (Live at the Harbour)` }),
  ({ offered }) => ({ ...offered, album: 'Harbour (Karaoke)' }),
  ({ offered }) => ({ ...offered, artistName: 'Various Artists' }),
];

test('of 1,000 songs that are spelled differently, at least 950 are found', () => {
  let found = 0;
  for (let n = 0; n < 1_000; n++) {
    const { wanted, offered } = (SPELLINGS[n % SPELLINGS.length] as (one: Case) => Case)(song(n));
    const others = [song(10_000 + n).offered, song(20_000 + n).offered];
    if (pickLyrics(wanted, [...others, offered])?.id === offered.id) found++;
  }
  expect(found).toBeGreaterThanOrEqual(950);
});

test('of 1,000 songs that look alike, none is taken', () => {
  const taken: unknown[] = [];
  for (let n = 0; n < 1_000; n++) {
    const one = song(n);
    const other = (LOOK_ALIKES[n % LOOK_ALIKES.length] as (one: Case) => OfferedLyrics)(one);
    if (pickLyrics(one.wanted, [other])) taken.push([one.wanted, other]);
  }
  expect(taken).toEqual([]);
});

test('hostile names and lyrics are compared in a time that grows with their length', () => {
  const { wanted, offered } = song(1);
  const brackets = '['.repeat(256 << 10);
  for (const blanks of [' '.repeat(2_000), '\n'.repeat(2_000), ' - '.repeat(600)]) {
    const title = `${wanted.title}${blanks}x`;
    const some = [1, 2, 3].map((id) => ({
      ...offered,
      id,
      title,
      artistName: `${blanks}x`,
      plain: `${brackets}${id}`,
    }));
    expect(pickLyrics({ ...wanted, title, artistName: `${blanks}x`, artists: [] }, some)).toBeUndefined();
  }
});

test('guests with brackets in their names, and one edition of an album after another, are no part of the name', () => {
  const { wanted, offered } = song(1);
  const intro = { ...wanted, title: 'Intro' }; // fits by its album only
  for (const title of ['Intro (feat. Ida [of Lund])', 'Intro [with Ida (Lund) & Bo]'])
    for (const edition of [' - Deluxe Edition - Remastered', ' [Deluxe Edition] (Remastered 2009)'])
      expect(isLyricsOfSong(intro, { ...offered, title, album: `${offered.album}${edition}` }), title + edition).toBe(
        true,
      );
});

test('two songs of one name are only told apart by the album', () => {
  const { wanted, offered } = song(1);
  const other = { ...offered, id: 2, album: 'Another album', plain: 'entirely different words' };
  expect(pickLyrics(wanted, [other, offered])?.id).toBe(1);
  expect(pickLyrics({ ...wanted, album: null }, [other, offered])).toBeUndefined();
  const intro = { ...wanted, title: 'Intro' };
  expect(isLyricsOfSong(intro, { ...offered, title: 'Intro', album: 'Another album' })).toBe(false);
  expect(isLyricsOfSong(intro, { ...offered, title: 'Intro' })).toBe(true);
});
