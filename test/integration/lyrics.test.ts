// Lyrics are looked up, chosen and written, with a service that is off, busy, unreachable, or has the wrong song.
import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LyricsOut } from '../../server/library/wire.ts';
import type { LyricsCandidate, LyricsLookupOut } from '../../server/lyrics/wire.ts';
import { startLrclib, type LrclibEntry } from '../fakes/lrclib.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let service: Awaited<ReturnType<typeof startLrclib>>;
let server: TestServer;
let tracks: ReturnType<typeof trackMaker>;
let clock = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  service = await startLrclib();
  server = await startServer({
    env: { LYRICS_BASE_URL: service.url },
    now: () => new Date(clock),
    lyricsPerSecond: 1_000,
  });
  tracks = trackMaker(server.app);
});
afterAll(async () => {
  await server.close();
  await service.close();
});
beforeEach(() => {
  service.entries.length = 0;
  service.requests.length = 0;
});

const entry = (trackName: string, otherFields: Partial<LrclibEntry> = {}): LrclibEntry => ({
  id: service.entries.length + 1,
  trackName,
  artistName: 'The Quays',
  albumName: 'Harbour',
  duration: 200,
  instrumental: false,
  plainLyrics: `Words of ${trackName}`,
  syncedLyrics: `[00:01.00]Words of ${trackName}`,
  ...otherFields,
});
const setEnabled = (lyrics_enabled: boolean) =>
  server.api('/settings', { method: 'PATCH', body: { lyrics_enabled } }).then(() => server.app.drain());
const lookUp = async (id: number): Promise<LyricsLookupOut> =>
  (await server.api<LyricsLookupOut>(`/tracks/${id}/lyrics/lookup`, { method: 'POST' })).body;
const lyricsOf = (id: number) => server.api<LyricsOut>(`/tracks/${id}/lyrics`);
const hasLyrics = async (id: number): Promise<boolean> =>
  (await server.api<{ has_lyrics: boolean }>(`/tracks/${id}`)).body.has_lyrics;

test('nothing is asked until the owner allows it', async () => {
  const id = tracks.add({ title: 'Quiet' });
  service.entries.push(entry('Quiet'));
  expect(await lookUp(id)).toEqual({ outcome: 'off', lyrics: null });
  await server.app.drain();
  expect(service.requests).toEqual([]);
  await setEnabled(true); // starts looking up the lyrics of all tracks in the background
  expect((await lyricsOf(id)).body).toEqual({
    synced: true,
    lines: [{ start_ms: 1_000, text: 'Words of Quiet' }],
    source: 'lrclib',
    lrclib_id: 1,
    is_instrumental: false,
  });
  expect(await hasLyrics(id)).toBe(true);
  expect(service.requests[0]).toBe('/api/get?artist_name=The+Quays&track_name=Quiet&album_name=Harbour&duration=200');
});

test('a wrong song and times after the end are rejected, and a failed request does not count as "no lyrics"', async () => {
  await setEnabled(true);
  const id = tracks.add({ title: 'Signal' });
  service.entries.push(entry('Signal', { duration: 230 }), entry('Signal (Live)'));
  service.state.isAway = true;
  expect(await lookUp(id)).toEqual({ outcome: 'unavailable', lyrics: null });
  service.state.isAway = false;
  clock += 3_600_000;
  expect(await lookUp(id)).toEqual({ outcome: 'none', lyrics: null });
  service.entries.push(entry('Signal', { syncedLyrics: '[09:00.00]Of another song' }));
  expect((await lookUp(id)).lyrics).toMatchObject({ synced: false, lines: [{ text: 'Words of Signal' }] });
  const song = tracks.add({ title: 'Engine' });
  service.entries.push(entry('Engine', { instrumental: true, plainLyrics: null, syncedLyrics: null }));
  expect((await lookUp(song)).lyrics).toMatchObject({ is_instrumental: true, lines: [] });
  expect(await hasLyrics(song)).toBe(false);
});

test('a song that the service refuses, or sends an invalid response for, does not delay the others', async () => {
  await setEnabled(false);
  service.state.oddFor = 'Odd';
  const [longId, oddId, goodId] = [
    tracks.add({ title: 'Long' }, { durationMs: 4_000_000 }),
    tracks.add({ title: 'Odd' }),
    tracks.add({ title: 'Good' }),
  ];
  service.entries.push(entry('Good'), entry('Odd'));
  await setEnabled(true);
  await until(() => hasLyrics(goodId));
  expect([await lookUp(longId), await lookUp(oddId)].map(({ outcome }) => outcome)).toEqual(['none', 'unavailable']);
  service.state.oddFor = '';
  expect((await lookUp(oddId)).outcome).toBe('found');
});

test('lyrics that a person picks or writes win over the file and the look-up', async () => {
  await setEnabled(true);
  const id = tracks.add({ title: 'Paper', lyrics: { synced: false, lines: [{ text: 'From the file' }] } });
  service.entries.push(entry('Paper', { id: 77, artistName: 'Somebody else' }));
  const { body } = await server.api<LyricsCandidate[]>(`/tracks/${id}/lyrics/candidates?q=paper`);
  expect(body).toMatchObject([{ id: 77, fits: false, synced: true, duration_ms: 200_000 }]);
  const putLyrics = (value: object, token = server.token) =>
    server.api<LyricsOut>(`/tracks/${id}/lyrics`, { method: 'PUT', body: value, token });
  expect((await putLyrics({ lrclib_id: 77 })).body).toMatchObject({ source: 'manual', lrclib_id: 77, synced: true });
  const text = '[00:01.00]<00:01.00>Low <00:01.50>water';
  expect((await putLyrics({ text })).body).toMatchObject({
    source: 'manual',
    lrclib_id: null,
    lines: [{ start_ms: 1_000, text: 'Low water', words: [{ start_ms: 1_000 }, { start_ms: 1_500 }] }],
  });
  expect((await putLyrics({ text: ' \n ' })).status).toBe(422);
  expect((await putLyrics({ text }, await registerUser(server))).status).toBe(403);

  const remove = () => server.api(`/tracks/${id}/lyrics`, { method: 'DELETE' });
  expect((await remove()).status).toBe(204);
  expect((await lyricsOf(id)).body).toMatchObject({ source: 'file', lines: [{ text: 'From the file' }] });
  await remove(); // removing lyrics hides those of the file
  expect([(await lyricsOf(id)).status, await hasLyrics(id)]).toEqual([404, false]);
});

test('a file beside the music is written only if allowed, and never instead of somebody’s own', async () => {
  const music = join(server.dir, 'music');
  mkdirSync(music, { recursive: true });
  const { removeLyricsFile, writeLyricsFile } = await import('../../server/lyrics/lyrics-file.ts');
  const lines = [{ startMs: 1_000, text: 'Mine' }];
  expect(await writeLyricsFile(join(music, 'Song.flac'), lines)).toBe(true);
  expect(readFileSync(join(music, 'Song.lrc'), 'utf8')).toBe('[re:Tonearm]\n[00:01.00]Mine\n');
  expect(await writeLyricsFile(join(music, 'Song.flac'), [{ text: 'Again' }])).toBe(true);
  expect(await removeLyricsFile(join(music, 'Song.flac'))).toBe(true);
  expect(await removeLyricsFile(join(music, 'Song.flac'))).toBe(false);
  writeFileSync(join(music, 'Song.lrc'), '[00:02.00]Of a person');
  expect(await removeLyricsFile(join(music, 'Song.flac'))).toBe(false);
  expect(await writeLyricsFile(join(music, 'Song.flac'), lines)).toBe(false);
  expect(readFileSync(join(music, 'Song.lrc'), 'utf8')).toBe('[00:02.00]Of a person');
});
