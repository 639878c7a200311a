// Tests features that compare tracks by sound: similar tracks, radios, paths, the map, mixes, the Subsonic extension.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type {
  ChosenTrackOut,
  LikenessOut,
  MapOut,
  MixesOut,
  MixTracksOut,
  PathOut,
  RadioOut,
  ReasonOut,
  SimilarTracksOut,
} from '../../server/likeness/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { addSoundLibrary, analyzeSoundLibrary, GENRES } from '../support/sound-library.ts';

const DAY_MS = 86_400_000;
let nowMs = Date.UTC(2026, 5, 1, 12);
let server: TestServer;
let phone: Phone;
let byGenre: TrackId[][];

beforeAll(async () => {
  server = await startServer({ now: () => new Date(nowMs) });
  phone = await openPhone(server);
  byGenre = addSoundLibrary(server.app.db);
});
afterAll(() => server.close());

const getBody = async <T>(path: string): Promise<T> => (await server.api<T>(path)).body;
const send = async <T>(path: string, body: object): Promise<T> =>
  (await server.api<T>(path, { method: 'POST', body })).body;
const nextOf = (body: object): Promise<RadioOut> => send<RadioOut>('/radio/next', body);
const idsOf = (items: readonly ChosenTrackOut[]): number[] => items.map(({ track }) => track.id);
const trackOfGenre = (genre: number, n = 0): TrackId => byGenre[genre]?.[n] as TrackId;
const exts = async (): Promise<string[]> =>
  (await phone.ask<{ name: string }[]>('getOpenSubsonicExtensions', {}, 'openSubsonicExtensions')).map(
    ({ name }) => name,
  );

describe('before enough has been analyzed', () => {
  test('tags are compared, and the response says so', async () => {
    expect(await getBody<LikenessOut>('/likeness')).toMatchObject({ by: 'tags', indexed: 0 });
    const similar = await getBody<SimilarTracksOut>(`/tracks/${trackOfGenre(0)}/similar`);
    expect(similar.by).toBe('tags');
    expect(similar.items.length).toBeGreaterThan(5);
    expect(similar.items.every(({ likeness }) => likeness === null)).toBe(true);
    expect(similar.items.flatMap(({ reasons }) => reasons).some(({ kind }) => kind === 'sounds_like')).toBe(false);
    const radio = await nextOf({ seed: { kind: 'track', id: trackOfGenre(1) }, count: 10 });
    expect([radio.by, radio.items.length]).toEqual(['tags', 10]);
    expect((await server.api(`/path?from=${trackOfGenre(0)}&to=${trackOfGenre(1)}`)).status).toBe(409);
  });

  test('Subsonic has similar songs by tags, and does not declare the extension', async () => {
    expect(await exts()).not.toContain('sonicSimilarity');
    const { song } = await phone.ask<{ song: object[] }>(
      'getSimilarSongs2',
      { id: `tr-${trackOfGenre(0)}` },
      'similarSongs2',
    );
    expect(song.length).toBeGreaterThan(5);
    expect((await phone.get('getSonicSimilarTracks', { id: `tr-${trackOfGenre(0)}` })).body.status).toBe('failed');
  });
});

describe('after enough has been analyzed', () => {
  beforeAll(async () => {
    analyzeSoundLibrary(server.app.db, byGenre);
    await server.app.likeness.sounds.refresh();
  });

  test('similar tracks are those that sound alike, with a likeness that falls', async () => {
    const trackCount = byGenre.flat().length;
    expect(await getBody<LikenessOut>('/likeness')).toMatchObject({
      by: 'sound',
      analyzed: trackCount,
      total: trackCount,
      indexed: trackCount,
    });
    const { by: similarityKind, items } = await getBody<SimilarTracksOut>(`/tracks/${trackOfGenre(3)}/similar?limit=5`);
    expect(similarityKind).toBe('sound');
    expect(new Set(items.map(({ track }) => track.album_id))).toEqual(
      new Set([(await getBody<TrackOut>(`/tracks/${trackOfGenre(3)}`)).album_id]),
    );
    const values = items.map(({ likeness }) => likeness ?? 0);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(idsOf(items)).not.toContain(trackOfGenre(3));
    // the nearest track ranks first among all others, the next one second, and so on
    items.forEach(({ likeness_rank }, i) => expect(likeness_rank).toBeCloseTo((i + 1) / (trackCount - 1), 4));
    expect(items[1]?.reasons[0]).toMatchObject({ kind: 'sounds_like', rank: 0.0026 });
  });

  test('ten radios of 100 tracks keep the rules, repeat nothing, and every explanation is true', async () => {
    const seeds = [
      { kind: 'track', id: trackOfGenre(0) },
      { kind: 'track', id: trackOfGenre(1, 50) },
      { kind: 'album', id: 3 },
      { kind: 'artist', id: 5 },
      { kind: 'genre', name: 'Choral' },
      { kind: 'genre', name: 'dub' },
      { kind: 'mood', mood: 'dark' },
      { kind: 'mood', mood: 'driving' },
      { kind: 'moment', hour: 12 },
      { kind: 'track', id: trackOfGenre(6, 20) },
    ];
    for (const seed of seeds) {
      const chosenTracks: ChosenTrackOut[] = [];
      while (chosenTracks.length < 100)
        chosenTracks.push(...(await nextOf({ seed, count: 25, played: idsOf(chosenTracks) })).items);
      expect(new Set(idsOf(chosenTracks)).size).toBe(100);
      chosenTracks.forEach(({ track }, i) => {
        const recentArtistIds = chosenTracks
          .slice(Math.max(0, i - 4), i)
          .flatMap((chosenTrack) => chosenTrack.track.artists.map(({ id }) => id));
        expect(recentArtistIds).not.toContain(track.artists[0]?.id);
        const recentAlbumTracks = chosenTracks
          .slice(Math.max(0, i - 19), i + 1)
          .filter((chosenTrack) => chosenTrack.track.album_id === track.album_id);
        expect(recentAlbumTracks.length).toBeLessThanOrEqual(2);
      });
      for (const chosenTrack of chosenTracks) await assertTrue(chosenTrack);
    }
  });

  async function assertTrue({ track, likeness, reasons }: ChosenTrackOut): Promise<void> {
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      const otherFacts = 'track_id' in reason ? factsOf(reason.track_id) : undefined;
      if (otherFacts && 'title' in reason) expect(reason.title).toBe(otherFacts.title);
      expect(await isTrue(reason, factsOf(track.id), otherFacts, likeness), JSON.stringify(reason)).toBe(true);
    }
  }

  interface Row {
    id: TrackId;
    title: string;
    bpm: number;
    initial_key: string;
    energy: number;
    artist_id: number;
    genre: string;
    liked: number | null;
    plays: number | null;
    last: number | null;
  }
  const factsOf = (id: number): Row =>
    server.app.db.$client
      .prepare<[number], Row>(
        `SELECT t.id, title, bpm, initial_key, energy, artist_id, genre, l.liked, p.plays, p.last_played_at AS last
          FROM tracks t LEFT JOIN like_states l ON l.item_type = 'track' AND l.item_id = t.id
          LEFT JOIN play_counts p ON p.item_type = 'track' AND p.item_id = t.id WHERE t.id = ?`,
      )
      .get(id) as Row;
  const MOOD: Record<string, (track: Row) => boolean> = {
    // there are seven energies, each with the same number of tracks
    dark: ({ energy, initial_key: key }) => energy <= 3 && key.endsWith('m'),
    bright: ({ energy, initial_key: key }) => energy >= 4 && energy <= 6 && !key.endsWith('m'),
    driving: ({ energy }) => energy === 5 || energy === 6,
  };
  const MATCHING_FACTS: Record<string, string[]> = {
    C: ['C', 'Am', 'G'],
    Am: ['Am', 'C', 'Em'],
    G: ['G', 'Em', 'C'],
    Em: ['Em', 'G', 'Am'],
    'F#m': ['F#m'],
    Eb: ['Eb'],
  };

  async function isTrue(
    reason: ReasonOut,
    track: Row,
    otherRow: Row | undefined,
    likeness: number | null,
  ): Promise<boolean> {
    switch (reason.kind) {
      case 'sounds_like': {
        const [foundReason] =
          (await server.app.likeness.sounds.ask({ kind: 'compare', id: reason.track_id, otherIds: [track.id] })) ?? [];
        return (
          Math.abs((foundReason?.likeness ?? -1) - reason.likeness) < 0.01 &&
          Math.abs((likeness ?? -1) - reason.likeness) < 0.01
        );
      }
      case 'same_tempo':
        return reason.bpm === track.bpm && Math.abs(track.bpm / (otherRow?.bpm ?? 1) - 1) <= 0.03;
      case 'matching_key':
        return (
          reason.key === track.initial_key &&
          MATCHING_FACTS[track.initial_key]?.includes(otherRow?.initial_key ?? '') === true
        );
      case 'same_artist':
        return reason.artist_id === track.artist_id;
      case 'same_genre':
        return track.genre.toLowerCase() === reason.genre.toLowerCase();
      case 'mood':
        return MOOD[reason.mood]?.(track) === true;
      case 'loved':
        return track.liked === 1;
      case 'forgotten':
        return track.plays === reason.plays && (track.last ?? nowMs) <= nowMs - 180 * DAY_MS;
      case 'played_at_this_hour':
        return (track.plays ?? 0) >= reason.plays;
      default:
        return reason.kind === 'any';
    }
  }

  test('loved and forgotten tracks are mixed in', async () => {
    const [lovedId, forgottenId] = [trackOfGenre(2, 30), trackOfGenre(2, 60)];
    await send('/likes', { item_type: 'track', item_id: lovedId, liked: true });
    const oldDate = new Date(nowMs - 300 * DAY_MS).toISOString();
    for (const hour of [1, 2, 3])
      await send('/history', { track_id: forgottenId, played_at: oldDate.replace(/T\d\d/, `T0${hour}`) });
    const { items } = await nextOf({ seed: { kind: 'genre', name: GENRES[2] }, count: 40 });
    const kinds = (id: number): string[] =>
      items.find(({ track }) => track.id === id)?.reasons.map(({ kind }) => kind) ?? [];
    expect(kinds(lovedId)).toContain('loved');
    expect(kinds(forgottenId)).toContain('forgotten');
  });

  test('"less like this" keeps similar tracks away, and an excluded artist never plays', async () => {
    const seed = { kind: 'genre', name: GENRES[4] };
    const [disliked, excludedTrack] = [trackOfGenre(4, 0), trackOfGenre(4, 40)];
    const album = (await getBody<TrackOut>(`/tracks/${disliked}`)).album_id;
    const artist = (await getBody<TrackOut>(`/tracks/${excludedTrack}`)).artist_id;
    await server.api(`/radio/never/artists/${artist}`, { method: 'PUT' });
    await server.api(`/radio/never/tracks/${trackOfGenre(4, 70)}`, { method: 'PUT' });
    expect(await getBody('/radio/never')).toMatchObject({
      tracks: [{ id: trackOfGenre(4, 70) }],
      artists: [{ id: artist }],
    });
    const { items } = await nextOf({ seed, count: 60, less: [disliked] });
    expect(items.length).toBe(60);
    expect(items.filter(({ track }) => track.album_id === album || track.artist_id === artist)).toEqual([]);
    expect(idsOf(items)).not.toContain(trackOfGenre(4, 70));
    await server.api(`/radio/never/artists/${artist}`, { method: 'DELETE' });
    await server.api(`/radio/never/tracks/${trackOfGenre(4, 70)}`, { method: 'DELETE' });
    expect(await getBody('/radio/never')).toEqual({ tracks: [], artists: [] });
  });

  test('a radio of a small library continues when everything was played', async () => {
    const playedIds = byGenre.flat();
    const { items } = await nextOf({ seed: { kind: 'track', id: trackOfGenre(0) }, count: 30, played: playedIds });
    expect(items).toHaveLength(30);
  });

  test('a radio continues from the tracks that it played when its seed was deleted', async () => {
    const seed = { kind: 'track', id: 999_999 };
    const playedIds = byGenre[3]?.slice(0, 4);
    const { items } = await nextOf({ seed, played: playedIds, more: [999_998] });
    expect(items.flatMap(({ reasons }) => reasons).filter(({ kind }) => kind === 'any')).toEqual([]);
    expect(items).toHaveLength(10);
    expect((await server.api('/radio/next', { method: 'POST', body: { seed } })).status).toBe(404);
  });

  test('a path leads from one track to another in the requested number of steps, without repetition', async () => {
    const [from, to] = [trackOfGenre(0, 3), trackOfGenre(5, 9)];
    const { items } = await getBody<PathOut>(`/path?from=${from}&to=${to}&steps=8`);
    const ids = idsOf(items);
    expect([ids.length, ids[0], ids.at(-1), new Set(ids).size]).toEqual([10, from, to, 10]);
    expect(items[1]?.reasons[0]).toEqual({ kind: 'on_the_way', step: 1, steps: 8 });
  });

  test('tracks of excluded artists are on no path of the user', async () => {
    const path = `/path?from=${trackOfGenre(0, 3)}&to=${trackOfGenre(5, 9)}&steps=8`;
    const unwanted = idsOf((await getBody<PathOut>(path)).items).slice(1, 4);
    for (const id of unwanted) await server.api(`/radio/never/tracks/${id}`, { method: 'PUT' });
    const { items } = await getBody<PathOut>(path);
    expect(idsOf(items)).toHaveLength(10);
    expect(idsOf(items).filter((id) => unwanted.includes(id))).toEqual([]);
    for (const id of unwanted) await server.api(`/radio/never/tracks/${id}`, { method: 'DELETE' });
  });

  test('the map counts all tracks, and similar tracks lie together', async () => {
    const trackCount = byGenre.flat().length;
    const map = await getBody<MapOut>('/map?points=50000&cells=16');
    expect([map.total, map.points.id.length, map.cells.reduce((sum, cellCount) => sum + cellCount, 0)]).toEqual([
      trackCount,
      trackCount,
      trackCount,
    ]);
    const pointsById = new Map(
      map.points.id.map((id, i) => [id, [map.points.x[i] as number, map.points.y[i] as number]]),
    );
    const distanceOf = (a: number, b: number): number => {
      const [firstPoint, secondPoint] = [pointsById.get(a) ?? [], pointsById.get(b) ?? []];
      return Math.hypot((firstPoint[0] ?? 0) - (secondPoint[0] ?? 0), (firstPoint[1] ?? 0) - (secondPoint[1] ?? 0));
    };
    const mean = (pairs: [number, number][]): number =>
      pairs.reduce((sum, [a, b]) => sum + distanceOf(a, b), 0) / pairs.length;
    const inGenre = byGenre.flatMap((ids) => ids.slice(1).map((id): [number, number] => [ids[0] as number, id]));
    const otherGenrePairs = byGenre.flatMap((ids, g) =>
      ids.map((id, i): [number, number] => [id, trackOfGenre((g + 3) % 7, i)]),
    );
    expect(mean(inGenre)).toBeLessThan(mean(otherGenrePairs) / 2);
    const halfMap = await getBody<MapOut>('/map?max_x=32767&points=10');
    expect(halfMap.points.id.length).toBe(Math.min(10, halfMap.total));
    const { items, total } = await getBody<{ items: { x: number }[]; total: number }>(
      '/map/tracks?max_x=32767&limit=200',
    );
    expect([total, items.every(({ x }) => x <= 32_767)]).toEqual([halfMap.total, true]);
    const line = await send<{ items: TrackOut[] }>('/map/line', {
      points: [
        { x: 0, y: 0 },
        { x: 65_535, y: 65_535 },
      ],
      count: 12,
    });
    expect(new Set(line.items.map(({ id }) => id)).size).toBe(12);
  });

  test('mixes are the same all day, change the next day, and name the reason for each', async () => {
    const today = await getBody<MixesOut>('/mixes');
    expect(today.items.length).toBeGreaterThan(1);
    expect(today.items.every(({ why, track_count }) => why.length > 0 && track_count >= 8)).toBe(true);
    const [mix] = today.items;
    const openedMix = await getBody<MixTracksOut>(`/mixes/${mix?.id}`);
    expect(openedMix.items).toHaveLength(mix?.track_count ?? 0);
    expect(await getBody<MixTracksOut>(`/mixes/${mix?.id}`)).toEqual(openedMix);
    expect((await server.api('/mixes/nothing')).status).toBe(404);
    nowMs += DAY_MS;
    expect(await getBody<MixesOut>('/mixes')).not.toEqual(today);
    nowMs -= DAY_MS;
  });

  test('versions of a song are told apart', async () => {
    const { $client: client } = server.app.db;
    const rename = client.prepare('UPDATE tracks SET title = ?, title_sort = lower(?) WHERE id = ?');
    const titles = [
      'Wide River',
      'Wide River (Live in Bergen)',
      'Wide River - 2011 Remaster',
      'Wide River (feat. Ann)',
    ];
    titles.forEach((title, n) => rename.run(title, title, trackOfGenre(5, n)));
    rename.run('Wide River', 'Wide River', trackOfGenre(6, 0));
    const { versions, items } = await getBody<SimilarTracksOut>(`/tracks/${trackOfGenre(5)}/similar`);
    expect(new Map(versions.map(({ track, kind }) => [track.id as TrackId, kind]))).toEqual(
      new Map([
        [trackOfGenre(5, 1), 'live'],
        [trackOfGenre(5, 2), 'remaster'],
        [trackOfGenre(5, 3), 'version'],
        [trackOfGenre(6, 0), 'cover'],
      ]),
    );
    expect(idsOf(items).some((id) => versions.some(({ track }) => track.id === id))).toBe(false);
  });

  test('Subsonic declares the extension and answers with similarities', async () => {
    expect(await exts()).toContain('sonicSimilarity');
    type Match = { similarity: number; entry: { id: string } };
    const similarMatches = await phone.ask<Match[]>(
      'getSonicSimilarTracks',
      { id: `tr-${trackOfGenre(1)}`, count: 7 },
      'sonicMatch',
    );
    expect(similarMatches).toHaveLength(7);
    expect(similarMatches.every(({ similarity }) => similarity > 0 && similarity <= 1)).toBe(true);
    const endIds = { startSongId: `tr-${trackOfGenre(0)}`, endSongId: `tr-${trackOfGenre(6)}` };
    const path = await phone.ask<Match[]>('findSonicPath', { ...endIds, count: 6 }, 'sonicMatch');
    expect([path.length, path[0]?.entry.id, path.at(-1)?.entry.id]).toEqual([6, endIds.startSongId, endIds.endSongId]);
    expect(path[0]?.similarity).toBeCloseTo(1, 2);
    const { song } = await phone.ask<{ song: object[] }>('getSimilarSongs', { id: `al-1`, count: 20 }, 'similarSongs');
    expect(song).toHaveLength(20);
  });

  test('an unchanged index is not built again; a newly analyzed track is found at once', async () => {
    const { built_at } = await getBody<LikenessOut>('/likeness');
    nowMs += 1_000;
    await server.app.likeness.sounds.refresh();
    expect((await getBody<LikenessOut>('/likeness')).built_at).toBe(built_at);
    const [lateIds] = addSoundLibrary(server.app.db, { genres: ['Late'], artists: 1, albums: 1, tracks: 2 });
    analyzeSoundLibrary(server.app.db, [lateIds ?? []], 9);
    const { by: similarityKind, items } = await getBody<SimilarTracksOut>(`/tracks/${lateIds?.[0]}/similar`);
    expect([similarityKind, items.length]).toEqual(['sound', 20]);
    await server.app.likeness.sounds.refresh();
    expect(idsOf((await getBody<SimilarTracksOut>(`/tracks/${lateIds?.[0]}/similar`)).items)[0]).toBe(lateIds?.[1]);
  });

  test('tracks similar to one that was not analyzed are found by tags', async () => {
    const [freshIds = []] = addSoundLibrary(server.app.db, { genres: ['Hum'], artists: 6, albums: 1, tracks: 2 });
    const similar = await getBody<SimilarTracksOut>(`/tracks/${freshIds[0]}/similar`);
    expect(similar.by).toBe('tags');
    expect(idsOf(similar.items).filter((id) => freshIds.includes(id as TrackId)).length).toBeGreaterThan(0);
    const { items } = await nextOf({ seed: { kind: 'track', id: freshIds[0] }, count: 5 });
    expect(items).toHaveLength(5);
    expect(items.flatMap(({ reasons }) => reasons).filter(({ kind }) => kind === 'any')).toEqual([]);
  });
});
