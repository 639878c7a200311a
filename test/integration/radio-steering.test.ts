// The effect of "more" and "less" on a radio, and the difference between two radios from the same track, with the
// sounds of a made-up library and a sequence of random numbers.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { createFacts } from '../../server/likeness/track-facts.ts';
import { createRadio } from '../../server/likeness/radio.ts';
import { createSounds, type Sounds } from '../../server/likeness/sounds.ts';
import type { RadioIn } from '../../server/likeness/wire.ts';
import { createStatements } from '../../server/library/lists/statement-cache.ts';
import { createLog } from '../../server/log/log.ts';
import { paths } from '../support/product.ts';
import { addSoundLibrary, analyzeSoundLibrary } from '../support/sound-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { seededRandom } from '../support/test-random.ts';

const LISTENER_ID = 1 as UserId;
const NOW = new Date(Date.UTC(2026, 5, 1, 12));
/** The number of tracks that are examined after a press of "more" or "less". */
const FOLLOWING_COUNT = 20;
const NEAREST_SHARE = 0.1;

let temp: TempDatabase;
let sounds: Sounds;
let byGenre: TrackId[][];

beforeAll(async () => {
  temp = openTempDatabase();
  byGenre = addSoundLibrary(temp.db, { artists: 20, albums: 2, tracks: 4 });
  analyzeSoundLibrary(temp.db, byGenre);
  sounds = createSounds({
    log: createLog('silent'),
    now: () => NOW,
    workerUrl: paths.workers.likeness,
    databasePath: join(temp.dir, 'tonearm.db'),
    indexPath: join(temp.dir, 'sounds.index'),
    changes: () => '',
    isBusy: () => false,
    onCounted: () => {},
    afterMs: 0,
  });
  await sounds.refresh();
});
afterAll(async () => {
  await sounds.close();
  temp.close();
});

type RadioSteering = Partial<Pick<RadioIn, 'played' | 'more' | 'less'>>;

/** Returns the tracks that a radio from a track plays, requested as the windows do. */
async function play(chance: number, id: TrackId, { played = [], more = [], less = [] }: RadioSteering = {}) {
  const random = seededRandom(chance);
  const facts = createFacts({ statements: createStatements(temp.db.$client), isOffline: () => false, random });
  const seeds = { of: () => Promise.reject(new Error('not asked')), ofMood: () => ({ title: null, ids: [] }) };
  const library = { similar: { toTrack: () => [], toAlbum: () => [], toArtist: () => [] } };
  const radio = createRadio({ sounds, facts, seeds, library, now: () => NOW, random } as never);
  const nextTracks: Awaited<ReturnType<typeof radio.next>>['items'] = [];
  while (nextTracks.length < FOLLOWING_COUNT)
    nextTracks.push(
      ...(
        await radio.next(
          LISTENER_ID,
          { title: null, ids: [id] },
          { count: 10, played: [...played, ...nextTracks.map((track) => track.id)], more, less },
        )
      ).items,
    );
  return nextTracks;
}

const starts = (): TrackId[] => byGenre.flatMap((ids) => [ids[10] as TrackId, ids[90] as TrackId]);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the share of the given tracks that is among the nearest tenth of the library. */
async function shareNear(id: TrackId, nextTracks: readonly { id: TrackId }[]): Promise<number> {
  const nextIds = nextTracks.map((track) => track.id);
  const ranks = (await sounds.ask({ kind: 'ranks', anchorIds: [id], otherIds: nextIds }))?.get(id) ?? [];
  return Array.from(ranks).filter((rank) => rank <= NEAREST_SHARE).length / nextIds.length;
}

test('two radios from one track share at most half of their first twenty, and both stay close', async () => {
  const sharedCounts: number[] = [];
  const ranks: number[] = [];
  for (const [n, id] of starts().entries()) {
    const [firstRadio, secondRadio] = [await play(2 * n, id), await play(2 * n + 1, id)];
    const ids = new Set(firstRadio.map((track) => track.id));
    sharedCounts.push(secondRadio.filter((track) => ids.has(track.id)).length / FOLLOWING_COUNT);
    ranks.push(...firstRadio.map(({ rank }) => rank ?? 1));
    expect(ids.has(id)).toBe(false);
  }
  expect(mean(sharedCounts)).toBeLessThanOrEqual(0.5);
  expect(mean(ranks)).toBeLessThan(0.12);
});

test('less like a track at least halves the share of what is near it, and says so', async () => {
  const [sharesBefore, sharesAfter, timesTold]: [number[], number[], number[]] = [[], [], []];
  for (const [n, id] of starts().entries()) {
    const firstRadio = await play(n, id);
    const dislikedId = firstRadio[n % 10]?.id as TrackId;
    const playedIds = firstRadio.slice(0, 10).map((track) => track.id);
    sharesBefore.push(await shareNear(dislikedId, await play(100 + n, id, { played: playedIds })));
    const nextTracks = await play(100 + n, id, { played: playedIds, less: [dislikedId] });
    sharesAfter.push(await shareNear(dislikedId, nextTracks));
    const namedReasons = nextTracks.flatMap(({ reasons }) => reasons.filter(({ kind }) => kind === 'less_like'));
    timesTold.push(namedReasons.length);
    expect(namedReasons.every((reason) => 'track_id' in reason && reason.track_id === dislikedId)).toBe(true);
  }
  expect(mean(sharesBefore)).toBeGreaterThan(0.1);
  expect(mean(timesTold)).toBeGreaterThan(1);
  expect(mean(sharesAfter)).toBeLessThanOrEqual(mean(sharesBefore) / 2);
});

test('more like a track at least doubles the share of what is near it, and says why it came', async () => {
  const [sharesBefore, sharesAfter]: [number[], number[]] = [[], []];
  for (const [n, id] of starts().entries()) {
    const wantedId = byGenre[(n + 3) % byGenre.length]?.[50] as TrackId;
    sharesBefore.push(await shareNear(wantedId, await play(n, id)));
    const nextTracks = await play(n, id, { more: [wantedId] });
    sharesAfter.push(await shareNear(wantedId, nextTracks));
    for (const { id: nearId, reasons } of nextTracks) {
      const isNear = (await shareNear(wantedId, [{ id: nearId }])) === 1;
      expect(reasons[0]?.kind === 'more_like').toBe(isNear);
    }
  }
  expect(mean(sharesAfter)).toBeGreaterThanOrEqual(Math.max(0.2, 2 * mean(sharesBefore)));
});

test('the reason "more like" is told also long after that track was played', async () => {
  const [genre, otherGenre] = [byGenre[0] as TrackId[], byGenre[1] as TrackId[]];
  const moreIds = [genre[50] as TrackId];
  const steeredTracks = await play(7, genre[10] as TrackId, {
    played: [...moreIds, ...otherGenre.slice(0, 30)],
    more: moreIds,
  });
  expect(steeredTracks.filter(({ reasons }) => reasons[0]?.kind === 'more_like').length).toBeGreaterThan(0);
});
