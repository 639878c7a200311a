// Tracks are found by a line of their lyrics, whether these come from a file, from the service or from a person.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { LyricsHitPage } from '../../server/lyrics/wire.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
const servers: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-lyrics-search-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Starts a server with a track for each of these lyrics, by title. */
async function open(lyrics: Record<string, string>): Promise<{ server: TestServer; folder: string; dir: string }> {
  const folder = mkdtempSync(join(base, 'music-'));
  mkdirSync(join(folder, 'Album'));
  writeFolderLibrary(
    folder,
    Object.fromEntries(
      Object.entries(lyrics).map(([TITLE, LYRICS]) => [
        `Album/${TITLE}.flac`,
        { TITLE, ARTIST: 'The Quays', ALBUM: 'Album', LYRICS },
      ]),
    ),
  );
  const dir = mkdtempSync(join(base, 'data-'));
  return { server: await start(folder, dir), folder, dir };
}

async function start(folder: string, dir: string): Promise<TestServer> {
  const server = await startServer({
    dir,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
  servers.push(server);
  await scan(server);
  return server;
}

async function scan(server: TestServer): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}

type FoundLine = [title: string, text: string, startMs: number | null];
async function find(server: TestServer, q: string, query = ''): Promise<FoundLine[]> {
  const { status, body } = await server.api<z.output<typeof LyricsHitPage>>(
    `/lyrics/search?q=${encodeURIComponent(q)}${query}`,
  );
  expect(status).toBe(200);
  return body.items.map(({ track, text, start_ms }) => [track.title, text, start_ms]);
}
const idOf = async (server: TestServer, title: string): Promise<number> =>
  (await allTracks(server)).find((track) => track.title === title)?.id ?? 0;

test('a phrase comes before words that are apart, with the matching line and its time', async () => {
  const { server } = await open({
    Apart: 'The sea is wide\nand the night is long',
    Phrase: '[00:05.00]Over the\n[00:09.50]wide sea we go',
    Other: 'Nothing of that',
  });
  expect(await find(server, 'wide sea')).toEqual([
    ['Phrase', 'wide sea we go', 9_500],
    ['Apart', 'The sea is wide', null],
  ]);
  expect(await find(server, 'over the wide')).toEqual([['Phrase', 'Over the / wide sea we go', 5_000]]);
  expect(await find(server, 'nobody sings this')).toEqual([]);
  expect(await find(server, '" OR * NOT (')).toEqual([]);
});

test('accents, case and apostrophes do not matter, and scripts without spaces are found', async () => {
  const { server } = await open({
    Accents: 'Non, je ne regrette rien\nL’amour à la française',
    Kanji: '前前前世から僕は\n君を探しはじめたよ',
    Cyrillic: 'Миллион алых роз',
  });
  expect(await find(server, 'LAMOUR A LA FRANCAISE')).toEqual([['Accents', 'L’amour à la française', null]]);
  expect(await find(server, '君を探し')).toEqual([['Kanji', '君を探しはじめたよ', null]]);
  expect(await find(server, 'алых ро')).toEqual([]);
  expect(await find(server, 'алых роз')).toEqual([['Cyrillic', 'Миллион алых роз', null]]);
});

test('lyrics that a person writes, changes, removes or hides are found as they are', async () => {
  const { server } = await open({ Song: 'First words of the file' });
  const id = await idOf(server, 'Song');
  expect(await find(server, 'first words')).toHaveLength(1);
  await server.api(`/tracks/${id}/lyrics`, { method: 'PUT', body: { text: 'Second text by hand' } });
  expect(await find(server, 'first words')).toEqual([]);
  expect(await find(server, 'second text')).toHaveLength(1);
  await server.api(`/tracks/${id}/lyrics`, { method: 'DELETE' });
  expect(await find(server, 'second text')).toEqual([]);
  expect(await find(server, 'first words')).toHaveLength(1);
  await server.api(`/tracks/${id}/lyrics`, { method: 'DELETE' }); // hides those of the file
  expect(await find(server, 'first words')).toEqual([]);
});

test('lyrics files beside the audio are found, and deleted and restored tracks', async () => {
  const { server, folder } = await open({ Song: 'In the tags' });
  writeFileSync(join(folder, 'Album', 'Song.srt'), '1\n00:00:02,000 --> 00:00:04,000\nIn the subtitles\n');
  await scan(server);
  expect(await find(server, 'in the subtitles')).toEqual([['Song', 'In the subtitles', 2_000]]);
  const id = await idOf(server, 'Song');
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  expect(await find(server, 'in the subtitles')).toEqual([]);
  await server.api(`/trash/${id}/restore`, { method: 'POST' });
  expect(await find(server, 'in the subtitles')).toHaveLength(1);
});

test('pages are parts of the same list, the most played track first', async () => {
  const { server } = await open(
    Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`Song ${i}`, `The same refrain ${i}`])),
  );
  const played = await idOf(server, 'Song 3');
  await server.api('/history', { method: 'POST', body: { track_id: played, duration_played: 300 } });
  const all = await find(server, 'same refrain');
  expect(all.map(([title]) => title)).toEqual(['Song 3', 'Song 0', 'Song 1', 'Song 2', 'Song 4']);
  expect(await find(server, 'same refrain', '&limit=2&offset=2')).toEqual(all.slice(2, 4));
});

test('the lyrics of an earlier version are indexed after the update', async () => {
  const { server, folder, dir } = await open(
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`Song ${i}`, `Number ${i} of the old ones`])),
  );
  server.app.db.$client.exec(
    'DELETE FROM search_lyrics; INSERT OR IGNORE INTO lyrics_pending (track_id) SELECT track_id FROM lyrics',
  );
  await server.close();
  servers.length = 0;
  const restarted = await start(folder, dir);
  await expect.poll(async () => (await find(restarted, 'of the old ones', '&limit=200')).length).toBe(60);
});

test('a search without words is refused', async () => {
  const { server } = await open({});
  expect((await server.api('/lyrics/search')).status).toBe(422);
  expect((await server.api('/lyrics/search?q=%20')).status).toBe(422);
});

test('a search runs in a thread, so that a slow one stops no other request', async () => {
  const { server } = await open({ Slow: 'La la la' });
  expect(await find(server, 'la la')).toHaveLength(1);
  // hides the index from the connection of the main thread
  server.app.db.$client.exec('CREATE TEMP TABLE search_lyrics (text)');
  expect(await find(server, 'la la la')).toHaveLength(1);
});
