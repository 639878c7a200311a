// Mixes for the Home page: other ones every day, the same all day, each with the reason why it is there.
import type { TrackId, UserId } from '../db/ids.ts';
import { MOODS, type Mood } from '../library/moods.ts';
import type { Statements } from '../library/statement-cache.ts';
import type { Facts, FactsReader } from './facts.ts';
import { pickNext } from './radio-pick.ts';
import type { Chosen, Radio } from './radio.ts';
import { LONG_AGO_MS, OFTEN, reasonsOfListener } from './reasons.ts';
import type { Seed, SeedReader } from './seeds.ts';
import type { MIX_KINDS, ReasonOut } from './wire.ts';

const TRACKS = 30;
/** Fewer are no mix. */
const LEAST = 8;
const LATELY_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
const ARTIST_MIXES = 3;
const FROM = 400;
/** Listeners whose mixes of today are remembered. */
const KEEP = 200;

const LATELY = `SELECT p.track_id AS id, t.title, t.artist_id AS artistId, count(*) AS plays
  FROM (SELECT track_id FROM plays WHERE user_id = @userId AND withdrawn_at IS NULL AND played_at >= @since
    ORDER BY played_at DESC LIMIT 5000) p JOIN tracks t ON t.id = p.track_id
  WHERE t.artist_id IS NOT NULL GROUP BY p.track_id ORDER BY plays DESC, p.track_id LIMIT 60`;
const LOVED = `SELECT item_id FROM like_states WHERE user_id = @userId AND item_type = 'track' AND liked = 1
  ORDER BY since DESC LIMIT ${FROM}`;
const FORGOTTEN = `SELECT item_id FROM play_counts WHERE user_id = @userId AND item_type = 'track'
  AND plays >= ${OFTEN} AND last_played_at <= @until ORDER BY plays DESC LIMIT ${FROM}`;

export interface Mix {
  id: string;
  kind: (typeof MIX_KINDS)[number];
  subject: string | null;
  why: ReasonOut[];
  items: Chosen[];
}

interface MixDeps {
  statements: Statements;
  facts: FactsReader;
  seeds: Pick<SeedReader, 'ofMood' | 'of'>;
  radio: Pick<Radio, 'next'>;
  now: () => Date;
}

export function createMixes({ statements, facts, seeds, radio, now }: MixDeps) {
  const kept = new Map<UserId, { key: string; mixes: Promise<Mix[]> }>();

  const ofRadio = async (userId: UserId, seed: Seed): Promise<Chosen[]> =>
    (await radio.next(userId, seed, { count: TRACKS, played: [], more: [], less: [] })).items;

  /** Some of these, by the rules of radios, shuffled for the day. */
  function someOf(userId: UserId, ids: readonly TrackId[], day: number, own: (track: Facts) => ReasonOut[]): Chosen[] {
    const random = numbersOf(day * 31 + userId);
    const usable = [...facts.of(userId, ids).values()].filter(({ isUsable }) => isUsable);
    return pickNext(
      usable.map((track) => ({ facts: track, score: random() })),
      { count: TRACKS, before: [], given: 0, nowMs: now().getTime(), random },
    ).map(({ facts: track }) => ({
      id: track.id,
      facts: track,
      likeness: null,
      reasons: [...own(track), ...reasonsOfListener(track, now().getTime())],
    }));
  }

  async function ofArtists(userId: UserId, day: number): Promise<Mix[]> {
    const played = statements.rows<{ id: TrackId; title: string; artistId: number; plays: number }>(LATELY, {
      userId,
      since: now().getTime() - LATELY_MS,
    });
    const byArtist = new Map(played.toReversed().map((one) => [one.artistId, one]));
    const random = numbersOf(day * 17 + userId);
    const chosen = [...byArtist.values()]
      .sort((a, b) => b.plays - a.plays)
      .slice(0, 10)
      .map((one) => ({ one, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, ARTIST_MIXES);
    const mixes: Mix[] = [];
    for (const { one } of chosen) {
      const track = facts.of(userId, [one.id]).get(one.id);
      const artist = track?.artists.find(({ id }) => id === one.artistId);
      if (!track || !artist) continue;
      const items = await ofRadio(userId, { title: artist.name, ids: [one.id] });
      const why: ReasonOut[] = [{ kind: 'played_lately', track_id: one.id, title: one.title, plays: one.plays }];
      mixes.push({ id: `artist-${artist.id}`, kind: 'like_artist', subject: artist.name, why, items });
    }
    return mixes;
  }

  async function make(userId: UserId, day: number, offsetMinutes: number): Promise<Mix[]> {
    const mood = MOODS[day % MOODS.length] as Mood;
    const hour = Math.floor((((now().getTime() + offsetMinutes * 60_000) / 3_600_000) % 24) + 24) % 24;
    const moment = await seeds.of(userId, { kind: 'moment', hour, utc_offset_minutes: offsetMinutes });
    const loved = statements.column<TrackId>(LOVED, { userId });
    const forgotten = statements.column<TrackId>(FORGOTTEN, { userId, until: now().getTime() - LONG_AGO_MS });
    const unplayed = [...facts.of(userId, facts.any()).values()].filter(({ plays }) => plays === 0).map(({ id }) => id);
    const all: Mix[] = [
      ...(await ofArtists(userId, day)),
      ...(moment.mood === undefined
        ? [
            {
              id: `hour-${hour}`,
              kind: 'hour' as const,
              subject: String(hour),
              why: moment.ids.slice(0, 1).flatMap((id) => moment.ownReason?.(id) ?? []),
              items: await ofRadio(userId, moment),
            },
          ]
        : []),
      {
        id: 'loved',
        kind: 'loved',
        subject: null,
        why: [{ kind: 'loved' }],
        items: someOf(userId, loved, day, () => []),
      },
      ...[someOf(userId, forgotten, day, () => [])].map((items): Mix => {
        const why = items[0]?.reasons.filter(({ kind }) => kind === 'forgotten') ?? [];
        return { id: 'forgotten', kind: 'forgotten', subject: null, why, items };
      }),
      {
        id: `mood-${mood}`,
        kind: 'mood',
        subject: mood,
        why: [{ kind: 'mood', mood }],
        items: (await ofRadio(userId, seeds.ofMood(mood))).filter(({ reasons }) =>
          reasons.some(({ kind }) => kind === 'mood'),
        ),
      },
      {
        id: 'unplayed',
        kind: 'unplayed',
        subject: null,
        why: [{ kind: 'never_played' }],
        items: someOf(userId, unplayed, day, () => [{ kind: 'never_played' }]),
      },
    ];
    return all.filter(({ items }) => items.length >= LEAST);
  }

  return {
    /** Those of today, where the listener is. */
    today(userId: UserId, offsetMinutes: number): Promise<Mix[]> {
      const day = Math.floor((now().getTime() + offsetMinutes * 60_000) / DAY_MS);
      const key = `${day}:${offsetMinutes}`;
      const known = kept.get(userId);
      if (known?.key === key) return known.mixes;
      const mixes = make(userId, day, offsetMinutes);
      kept.delete(userId);
      if (kept.size >= KEEP) kept.delete(kept.keys().next().value as UserId);
      kept.set(userId, { key, mixes });
      // none yet, or a failure: asked again
      void mixes.then(
        (found) => found.length === 0 && kept.delete(userId),
        () => kept.delete(userId),
      );
      return mixes;
    },
    /** What a listener never wants to hear has changed. */
    forget: (userId: UserId): void => void kept.delete(userId),
  };
}

/** 0 to 1, the same for a number (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
