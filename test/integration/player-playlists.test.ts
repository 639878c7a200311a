// Sixty playlist files as ten players write them, beside a scanned library: each line finds its track, or is named.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { PlaylistOut, PlaylistPage } from '../../server/playlists/wire.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { convertedFormats, playerFormats, type NamedFile, type PlayerFile } from '../support/player-playlists.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ALBUMS: [folder: string, artist: string, titles: string[]][] = [
  ['Björk/Homogenic', 'Björk', ['Jóga', 'Hunter', 'Bachelorette']],
  ['Die Ärzte/13', 'Die Ärzte', ['Punk ist…', 'Männer sind Schweine', 'Intro']],
  ['AC_DC/Back in Black', 'AC/DC', ['Hells Bells', 'Shoot to Thrill', 'Intro']],
  ['Sigur Rós/( )/CD1', 'Sigur Rós', ['Vaka', 'Fyrsta', 'Samskeyti']],
  ['Sigur Rós/( )/CD2', 'Sigur Rós', ['Njósnavélin', 'Álafoss', 'E-bow']],
  ['Samplers/100% Hits #2', 'Various', ['50% Off', 'One & Only', 'What?']],
  ['The Quays/Harbour [Live]', 'The Quays', ['Tide; Ebb', 'Intro', 'Rain, Rain']],
  ['東京/夜', '東京', ['雨', '夢', 'Intro']],
];
const FILES: NamedFile[] = ALBUMS.flatMap(([folder, artist, titles]) =>
  titles.map((title, n) => ({
    path: `${folder}/0${n + 1} ${title.replaceAll(/[?:]/g, '_')}.flac`,
    artist,
    title,
    seconds: 200 + n,
  })),
);
const LATIN_FILES = FILES.filter(({ artist }) => artist !== '東京').filter(({ title }) => !title.includes('…'));
const ABSENT: NamedFile = { path: 'Nobody/Nothing/01 Silence.flac', artist: 'Nobody', title: 'Silence', seconds: 1 };

let base: string;
let server: TestServer;
let playerFiles: { written: PlayerFile; files: NamedFile[] }[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-players-'));
  const music = join(base, 'music');
  writeFolderLibrary(
    music,
    Object.fromEntries(FILES.map(({ path, artist, title }) => [path, { ARTIST: artist, TITLE: title, ALBUM: artist }])),
  );
  mkdirSync(join(music, 'Playlists'));
  playerFiles = [...playerFormats(music), ...convertedFormats(music)].map((format, n) => {
    // each file has another part of the library in another order, and one line that nothing in the library matches
    const isWestern = /Winamp, (?:m3u|pls)\b(?!8)|Mp3tag, m3u\b(?!8)/.test(format([]).label);
    const library = isWestern ? LATIN_FILES : FILES;
    const files = library.map((_, index) => library[(index * 7 + n) % library.length] as NamedFile);
    files.splice(n % files.length, 0, ABSENT);
    return { written: format(files), files };
  });
  for (const { written } of playerFiles) writeFileSync(join(music, 'Playlists', written.name), written.bytes);
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect((await server.api<JobOut>(`/jobs/${body.id}`)).body.status).toBe('succeeded');
}, 120_000);
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

test('at least 98 % of their lines find the right track, and the others are named', async () => {
  const { items } = (await server.api<PlaylistPage>('/playlists?limit=200')).body;
  expect([playerFiles.length, items.length]).toEqual([60, 60]);
  let [lineCount, rightCount, namedCount] = [0, 0, 0];
  const faults: string[] = [];
  for (const { written, files } of playerFiles) {
    const item = items.find(({ file }) => file?.path === `Playlists/${written.name}`);
    const { entries = [], unmatched = [] } = (await server.api<PlaylistOut>(`/playlists/${item?.id}`)).body;
    const expectedFiles = files.filter((named) => named !== ABSENT);
    lineCount += expectedFiles.length;
    const wanted = expectedFiles.map(({ path }) => path);
    const actual = entries.map(({ track }) => track.source_id);
    const rightPaths = wanted.filter((path) => actual.includes(path));
    rightCount += rightPaths.length;
    namedCount += unmatched.filter(({ text }) => !/Silence/.test(text)).length;
    if (rightPaths.length === wanted.length) expect([written.label, actual]).toEqual([written.label, wanted]);
    else faults.push(`${written.label}: ${wanted.filter((path) => !actual.includes(path)).join(', ')}`);
    expect([written.label, unmatched.filter(({ text }) => /Silence/.test(text)).length]).toEqual([written.label, 1]);
    expect(actual.every((path) => wanted.includes(path))).toBe(true);
  }
  expect(rightCount / lineCount, faults.join('\n')).toBeGreaterThanOrEqual(0.98);
  expect(namedCount).toBe(lineCount - rightCount);
  expect(faults).toEqual([]);
});
