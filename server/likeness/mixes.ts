// Mixes for the Home page, each with the reason why it is offered. They depend on the listener and the day, are stored,
// and stay until the day ends in the time zone where they were made. A library that has grown much since, as in its
// first scan, gets new mixes.
import type { TrackId, UserId } from '../db/ids.ts';
import { MOODS, type Mood } from '../library/lists/moods.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import type { Facts, FactsReader } from './track-facts.ts';
import { pickNext } from './radio-pick.ts';
import type { Radio } from './radio.ts';
import { LONG_AGO_MS, MIN_FORGOTTEN_PLAYS, reasonsOfListener } from './reasons.ts';
import type { Seed, SeedReader } from './seeds.ts';
import type { Mix, MixItem, StoredMixes } from './stored-mixes.ts';
import type { ReasonOut } from './wire.ts';

const TRACKS_PER_MIX = 30;
/** Mixes with fewer tracks are left out. */
const MIN_TRACKS = 8;
const RECENT_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MAX_ARTIST_MIXES = 3;
const MAX_SOURCE_TRACKS = 400;
/** Mixes are made again when the library has grown by this factor. */
const REMAKE_GROWTH = 1.5;

const LATELY_PLAYED = `SELECT p.track_id AS id, t.title, t.artist_id AS artistId, count(*) AS plays
  FROM (SELECT track_id FROM plays WHERE user_id = @userId AND withdrawn_at IS NULL AND played_at >= @since
    ORDER BY played_at DESC LIMIT 5000) p JOIN tracks t ON t.id = p.track_id
  WHERE t.artist_id IS NOT NULL GROUP BY p.track_id ORDER BY plays DESC, p.track_id LIMIT 60`;
const LOVED_TRACKS = `SELECT item_id FROM like_states WHERE user_id = @userId AND item_type = 'track' AND liked = 1
  ORDER BY since DESC LIMIT ${MAX_SOURCE_TRACKS}`;
const FORGOTTEN_TRACKS = `SELECT item_id FROM play_counts WHERE user_id = @userId AND item_type = 'track'
  AND plays >= ${MIN_FORGOTTEN_PLAYS} AND last_played_at <= @until ORDER BY plays DESC LIMIT ${MAX_SOURCE_TRACKS}`;

/** Services that choose tracks by one sequence of random numbers. */
export interface Choosers {
  facts: FactsReader;
  seeds: Pick<SeedReader, 'ofMood' | 'of'>;
  radio: Pick<Radio, 'next'>;
}

interface MixDeps {
  statements: Statements;
  storedMixes: StoredMixes;
  /** Creates the services for a generator of random numbers from 0 to 1. */
  choosersBy: (random: () => number) => Choosers;
  now: () => Date;
}

export function createMixes({ statements, storedMixes, choosersBy, now }: MixDeps) {
  const libraryTracks = (): number =>
    statements.value<number>('SELECT coalesce(sum(tracks), 0) FROM library_totals', {});
  /** Mixes that are being made: simultaneous requests share them. */
  const pending = new Map<UserId, Promise<Mix[]>>();
  const { facts: currentFacts } = choosersBy(() => 0);

  /** Removes tracks that are gone, cannot be played now or are excluded by the listener. */
  function playable(userId: UserId, mixes: readonly Mix[]): Mix[] {
    const ids = new Set(mixes.flatMap(({ items }) => items.map(({ id }) => id)));
    const facts = currentFacts.of(userId, [...ids]);
    return mixes
      .map((mix) => ({ ...mix, items: mix.items.filter(({ id }) => facts.get(id)?.isUsable) }))
      .filter(({ items }) => items.length > 0);
  }

  async function makeAndStore(userId: UserId, offsetMinutes: number): Promise<Mix[]> {
    const madeAtMs = now().getTime();
    const today = Math.floor((madeAtMs + offsetMinutes * MINUTE_MS) / DAY_MS);
    const lastDay = storedMixes.find(userId);
    // a listener who flew west has the same date twice, but still gets other mixes
    const day = lastDay && lastDay.madeAtMs <= madeAtMs ? Math.max(today, lastDay.day + 1) : today;
    const mixes = await makeMixes(userId, { day, offsetMinutes, choosers: choosersBy(numbersOf(day * 31 + userId)) });
    const endsAtMs = (today + 1) * DAY_MS - offsetMinutes * MINUTE_MS;
    if (mixes.length > 0) storedMixes.store(userId, { day, madeAtMs, endsAtMs, libraryTracks: libraryTracks(), mixes });
    return mixes;
  }

  interface MixContext {
    day: number;
    offsetMinutes: number;
    choosers: Choosers;
  }

  async function makeMixes(userId: UserId, { day, offsetMinutes, choosers }: MixContext): Promise<Mix[]> {
    const { facts, seeds, radio } = choosers;
    const random = numbersOf(day * 17 + userId);
    const nowMs = now().getTime();

    const ofRadio = async (seed: Seed): Promise<MixItem[]> =>
      (await radio.next(userId, seed, { count: TRACKS_PER_MIX, played: [], more: [], less: [] })).items.map(toItem);

    /** Picks some of these tracks by the rules of radios. */
    function pickFrom(ids: readonly TrackId[], reasonsFor: (track: Facts) => ReasonOut[]): MixItem[] {
      const usable = [...facts.of(userId, ids).values()].filter(({ isUsable }) => isUsable);
      return pickNext(
        usable.map((track) => ({ facts: track, score: random() })),
        { count: TRACKS_PER_MIX, previousTracks: [], givenCount: 0, nowMs, random },
      ).map(({ facts: track }) => ({
        id: track.id,
        likeness: null,
        rank: null,
        reasons: [...reasonsFor(track), ...reasonsOfListener(track, nowMs)],
      }));
    }

    async function ofArtists(): Promise<Mix[]> {
      const playedTracks = statements.rows<{ id: TrackId; title: string; artistId: number; plays: number }>(
        LATELY_PLAYED,
        {
          userId,
          since: nowMs - RECENT_MS,
        },
      );
      const byArtist = new Map(playedTracks.toReversed().map((track) => [track.artistId, track]));
      const chosenTracks = [...byArtist.values()]
        .sort((a, b) => b.plays - a.plays)
        .slice(0, 10)
        .map((track) => ({ track, place: random() }))
        .sort((a, b) => a.place - b.place)
        .slice(0, MAX_ARTIST_MIXES);
      const mixes: Mix[] = [];
      for (const { track: seedTrack } of chosenTracks) {
        const track = facts.of(userId, [seedTrack.id]).get(seedTrack.id);
        const artist = track?.artists.find(({ id }) => id === seedTrack.artistId);
        if (!track || !artist) continue;
        const items = await ofRadio({ title: artist.name, ids: [seedTrack.id] });
        const reasons: ReasonOut[] = [
          { kind: 'played_lately', track_id: seedTrack.id, title: seedTrack.title, plays: seedTrack.plays },
        ];
        mixes.push({ id: `artist-${artist.id}`, kind: 'like_artist', subject: artist.name, why: reasons, items });
      }
      return mixes;
    }

    /** Makes a mix for the hour at which the listener plays most; the current hour would be over soon. */
    async function ofHour(): Promise<Mix[]> {
      const hour = facts.busiestHour(userId, offsetMinutes);
      if (hour === undefined) return [];
      const hourSeed = await seeds.of(userId, { kind: 'moment', hour, utc_offset_minutes: offsetMinutes });
      const reasons = hourSeed.ids.slice(0, 1).flatMap((id) => hourSeed.ownReason?.(id) ?? []);
      return [
        { id: `hour-${hour}`, kind: 'hour', subject: String(hour), why: reasons, items: await ofRadio(hourSeed) },
      ];
    }

    function ofForgotten(): Mix {
      const ids = statements.column<TrackId>(FORGOTTEN_TRACKS, { userId, until: nowMs - LONG_AGO_MS });
      const items = pickFrom(ids, () => []);
      const reasons = items[0]?.reasons.filter(({ kind }) => kind === 'forgotten') ?? [];
      return { id: 'forgotten', kind: 'forgotten', subject: null, why: reasons, items };
    }

    async function ofMood(): Promise<Mix> {
      const mood = MOODS[day % MOODS.length] as Mood;
      const items = (await ofRadio(seeds.ofMood(mood))).filter(({ reasons }) =>
        reasons.some(({ kind }) => kind === 'mood'),
      );
      return { id: `mood-${mood}`, kind: 'mood', subject: mood, why: [{ kind: 'mood', mood }], items };
    }

    function ofLoved(): Mix {
      const items = pickFrom(statements.column<TrackId>(LOVED_TRACKS, { userId }), () => []);
      return { id: 'loved', kind: 'loved', subject: null, why: [{ kind: 'loved' }], items };
    }

    function ofUnplayed(): Mix {
      const ids = [...facts.of(userId, facts.any()).values()].filter(({ plays }) => plays === 0).map(({ id }) => id);
      const reasons: ReasonOut[] = [{ kind: 'never_played' }];
      return { id: 'unplayed', kind: 'unplayed', subject: null, why: reasons, items: pickFrom(ids, () => reasons) };
    }

    const allMixes = [
      ...(await ofArtists()),
      ...(await ofHour()),
      ofLoved(),
      ofForgotten(),
      await ofMood(),
      ofUnplayed(),
    ];
    return allMixes.filter(({ items }) => items.length >= MIN_TRACKS);
  }

  return {
    /** Returns the mixes of the listener's day. */
    async today(userId: UserId, offsetMinutes: number): Promise<Mix[]> {
      const nowMs = now().getTime();
      const lastDay = storedMixes.find(userId);
      const isOfToday = lastDay !== undefined && lastDay.madeAtMs <= nowMs && nowMs < lastDay.endsAtMs;
      if (isOfToday && lastDay.mixes && libraryTracks() < REMAKE_GROWTH * lastDay.libraryTracks)
        return playable(userId, lastDay.mixes);
      const newMixes = pending.get(userId) ?? makeAndStore(userId, offsetMinutes).finally(() => pending.delete(userId));
      pending.set(userId, newMixes);
      return playable(userId, await newMixes);
    },
  };
}

const toItem = ({ id, likeness, rank, reasons }: MixItem): MixItem => ({ id, likeness, rank, reasons });

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
