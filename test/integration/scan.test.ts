// The scan of the music folder: what it finds, what it reports, and what it leaves unchanged.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  chmodSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { allTracks, differences, totalOf } from '../support/served-library.ts';
import { startServer, type ServerOptions, type TestServer } from '../support/server.ts';

let base: string;
let manifest: Manifest;
const open: { close(): Promise<void> }[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-scan-'));
  manifest = makeLibrary({ tracks: 300, messy: 0.1, seed: 'scan' }, join(base, 'music'));
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function serverOn(folder: string, mode: 'copy' | 'reference', options: ServerOptions = {}): Promise<TestServer> {
  const server = await startServer({
    ...options,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode, ...options.env },
  });
  open.push(server);
  return server;
}

/** Returns the number of files in a scan's result, from its counts. */
const filesIn = (result: ScanResult): number =>
  result.added -
  result.extra_tracks +
  result.updated +
  result.moved +
  result.unchanged +
  result.changing_count +
  result.failed_count -
  result.failed_folders;

async function scan(server: TestServer, query = ''): Promise<JobOut & { result: ScanResult }> {
  const { body, status } = await server.api<JobOut>(`/sources/local_folder/scan${query}`, { method: 'POST' });
  expect(status).toBe(202);
  await server.app.drain();
  return (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
}

/** Makes a folder with a few of the collection's clean files, for tests that change files. */
function smallFolder(count = 4): { folder: string; files: string[] } {
  const folder = mkdtempSync(join(base, 'small-'));
  const files = manifest.files
    .filter((file) => !file.messy && !file.duplicateOf && /^[\x20-\x7e]+$/.test(file.path))
    .slice(0, count)
    .map((file) => file.path);
  for (const file of files) cpSync(join(manifest.dir, file), join(folder, file), { preserveTimestamps: true });
  return { folder, files };
}

const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** Returns a function that rewrites tags with the same length and file time. */
const writeTo =
  (path: string) =>
  (artist: string): void => {
    const tags = id3([id3Frame('TIT2', utf8Text('By tags')), id3Frame('TPE1', utf8Text(artist))]);
    writeFileSync(path, Buffer.concat([tags, silentMp3(20)]));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  };

describe.each(['copy', 'reference'] as const)('in %s mode', (mode) => {
  test.skipIf(process.platform === 'win32')(
    'tags that were changed with size and time kept are read, what was identified stays where only rights changed',
    async () => {
      const folder = mkdtempSync(join(base, 'touched-'));
      const path = join(folder, 'a.mp3');
      const write = writeTo(path);
      write('Before');
      const server = await serverOn(folder, mode);
      await scan(server);
      await server.app.drain();
      const rowOf = () =>
        server.app.db.$client
          .prepare('SELECT id, title, artist_name AS artist, audio_hash AS hash, metadata_status AS status FROM tracks')
          .get() as Record<string, unknown>;
      const row = rowOf();
      expect(row).toMatchObject({ artist: 'Before', status: 'enriched', hash: expect.any(String) as string });
      chmodSync(path, 0o600);
      expect((await scan(server)).result).toMatchObject({ added: 0, missing: 0, changing_count: 0 });
      expect(rowOf()).toEqual(row);
      write('Behind');
      expect((await scan(server)).result).toMatchObject({ added: 0, updated: 1, missing: 0 });
      expect(rowOf()).toMatchObject({ id: row['id'], artist: 'Behind', hash: row['hash'] });
      expect((await scan(server)).result).toMatchObject({ updated: 0, unchanged: 1 });
    },
  );

  test('tags of files that look as they did are read when that is asked for, and edits stay', async () => {
    const folder = mkdtempSync(join(base, 'reread-'));
    const path = join(folder, 'a.mp3');
    const write = writeTo(path);
    write('Before');
    const server = await serverOn(folder, mode);
    await scan(server);
    const [track] = await allTracks(server);
    const editResponse = await server.api(`/tracks/${track?.id}`, { method: 'PATCH', body: { title: 'By hand' } });
    expect(editResponse.status).toBe(200);
    write('Behind');
    // simulates a file system that stores no change time
    server.app.db.$client.exec('UPDATE source_files SET ctime_us = NULL');
    expect((await scan(server)).result).toMatchObject({ updated: 0, unchanged: 1 });
    expect((await scan(server, '?reread=true&dry_run=true')).result).toMatchObject({ updated: 1 });
    expect((await scan(server, '?reread=true')).result).toMatchObject({ added: 0, updated: 1, missing: 0 });
    const [now] = await allTracks(server);
    expect([now?.id, now?.title, now?.artist_name]).toEqual([track?.id, 'By hand', 'Behind']);
    expect((await scan(server)).result).toMatchObject({ updated: 0, unchanged: 1 });
  });

  test('every good file becomes a track with its tags, and every broken one an error with a reason', async () => {
    const server = await serverOn(manifest.dir, mode);
    const { status, result } = await scan(server);
    expect(status).toBe('succeeded');
    const tracks = await allTracks(server);
    expect(differences(tracks, manifest)).toEqual([]);

    const { counts } = manifest;
    const messyAlbums = new Set(
      manifest.files.filter((file) => file.messy && file.tags?.album).map((file) => file.tags?.album),
    );
    const albums = await totalOf(server, '/albums');
    expect(albums).toBeGreaterThanOrEqual(counts['albums'] as number);
    expect(albums).toBeLessThanOrEqual((counts['albums'] as number) + messyAlbums.size);
    for (const [format, expectedCount] of Object.entries(counts['byFormat'] as Record<string, number>)) {
      const broken = manifest.files.filter(
        (file) =>
          file.format === format &&
          file.messy &&
          !tracks.some((track) => track.source_id === file.path.normalize('NFC')),
      ).length;
      const hex = manifest.files.filter((file) => file.format === format && file.pathHex).length;
      expect(await totalOf(server, `/tracks?format=${format}`), format).toBe(expectedCount - broken + hex);
    }

    const reportedIds = new Set([...result.failed, ...result.skipped].map((line) => line.source_id));
    const broken = manifest.files
      .filter((file) => file.expect === 'error' && file.messy !== 'unreadable' && file.messy !== 'appledouble')
      .map((file) => file.path.normalize('NFC'));
    expect(broken.filter((path) => !reportedIds.has(path))).toEqual([]);
    for (const { reason } of [...result.failed, ...result.skipped]) expect(reason).toMatch(/^[a-z].{5,}/i);
    expect(result.added).toBe(tracks.length);
    expect(result.failed_count).toBe(result.failed.length);
    expect(filesIn(result)).toBe(result.files);
    expect(tracks.every((track) => track.availability === 'available' && track.source === 'local_folder')).toBe(true);
  });

  test('a second scan with nothing changed opens no audio file and writes no row', async () => {
    const server = await serverOn(manifest.dir, mode);
    await scan(server);
    const rows = (): unknown[] =>
      ['tracks', 'albums', 'artists', 'source_files', 'source_folders', 'track_artists'].map((table) =>
        server.app.db.$client.prepare(`SELECT * FROM ${table}`).all(),
      );
    // the time of a playlist file is set to a whole millisecond below, which is a change
    const accessedFiles = filesBelow(manifest.dir).filter((file) => !/\ufffd|\.m3u$/.test(file));
    // reading a file would move its old access time; setting this time changes ctime, so stored ctimes are cleared
    for (const file of accessedFiles) utimesSync(file, 1, statSync(file).mtime);
    server.app.db.$client.exec('UPDATE source_files SET ctime_us = NULL');
    expect((await scan(server)).result).toMatchObject({ added: 0, updated: 0, missing: 0, restored: 0 });
    const rowsBefore = rows();
    const { result } = await scan(server);
    expect(result).toMatchObject({ added: 0, updated: 0, missing: 0, restored: 0 });
    expect(result.unchanged).toBeGreaterThan(0);
    expect(filesIn(result)).toBe(result.files);
    expect(rows()).toEqual(rowsBefore);
    expect(accessedFiles.filter((file) => statSync(file).atimeMs !== 1000)).toEqual([]);
  });

  test('streams every track byte for byte', async () => {
    const { folder, files } = smallFolder();
    const server = await serverOn(folder, mode);
    await scan(server);
    for (const track of await allTracks(server)) {
      const response = await fetch(`${server.url}/stream/${track.id}?token=${server.token}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(folder, track.source_id)))).toBe(true);
    }
    expect(files.length).toBe(await totalOf(server, '/tracks'));
  });

  test('a file that other music was written over is read again, also with an older time, and costs no copy', async () => {
    const { folder, files } = smallFolder(3);
    const [firstFile, secondFile, otherFile] = files as [string, string, string];
    renameSync(join(folder, otherFile), join(base, `other-${mode}`)); // no track has the audio of this file
    const server = await serverOn(folder, mode);
    await scan(server);
    const findTrack = async (sourceId: string): Promise<TrackOut | undefined> =>
      (await allTracks(server)).find((track) => track.source_id === sourceId);
    const [firstBefore, untouchedTrack] = [await findTrack(firstFile), await findTrack(secondFile)];
    const oldTime = new Date(2001, 1, 1);
    cpSync(join(base, `other-${mode}`), join(folder, firstFile));
    utimesSync(join(folder, firstFile), oldTime, oldTime);
    const { result } = await scan(server);
    const isCopied = mode === 'copy';
    expect(result).toMatchObject(isCopied ? { added: 1, updated: 0 } : { added: 0, updated: 1, missing: 0 });
    const firstAfter = await findTrack(firstFile);
    expect(firstAfter?.id === firstBefore?.id).toBe(!isCopied);
    expect(firstAfter?.title).toBe(manifest.files.find(({ path }) => path === otherFile)?.tags?.title);
    expect(firstAfter?.title).not.toBe(firstBefore?.title);
    expect(await findTrack(secondFile)).toEqual(untouchedTrack);
    const streamResponse = await fetch(`${server.url}/stream/${firstAfter?.id}?token=${server.token}`);
    expect(Buffer.from(await streamResponse.arrayBuffer()).equals(readFileSync(join(folder, firstFile)))).toBe(true);
    if (!isCopied) return;
    expect(filesBelow(join(server.dir, 'library', 'audio')).length).toBe(3);
    const copy = (await allTracks(server)).find(({ id }) => id === firstBefore?.id);
    expect(copy).toMatchObject({ title: firstBefore?.title, availability: 'available' });
  });

  test('a deleted track does not come back until its file changes or the user asks', async () => {
    const { folder, files } = smallFolder(3);
    const server = await serverOn(folder, mode);
    await scan(server);
    const [victim] = await allTracks(server);
    expect((await server.api(`/tracks/${victim?.id}`, { method: 'DELETE' })).status).toBe(204);
    expect(existsSync(join(folder, victim?.source_id ?? ''))).toBe(true);
    await scan(server);
    expect(await totalOf(server, '/tracks')).toBe(files.length - 1);
    await scan(server, '?restore=true');
    expect(await totalOf(server, '/tracks')).toBe(files.length);
  });

  test('missing files keep their tracks, and come back with the same ids', async () => {
    const { folder, files } = smallFolder(4);
    const server = await serverOn(folder, mode);
    await scan(server);
    const ids = (await allTracks(server)).map((track) => track.id);
    const top = (files[0] as string).split('/')[0] as string;
    renameSync(join(folder, top), join(base, 'away'));
    writeFileSync(join(folder, 'note.txt'), 'not empty');
    await scan(server);
    const tracksAfter = await allTracks(server);
    expect(tracksAfter.map((track) => track.id)).toEqual(ids);
    const missingTracks = tracksAfter.filter((track) => track.source_id.startsWith(`${top}/`));
    expect(missingTracks.length).toBeGreaterThan(0);
    expect(new Set(missingTracks.map((track) => track.availability))).toEqual(
      new Set([mode === 'reference' ? 'missing' : 'available']),
    );
    if (mode === 'reference')
      expect((await fetch(`${server.url}/stream/${missingTracks[0]?.id}?token=${server.token}`)).status).toBe(410);
    renameSync(join(base, 'away'), join(folder, top));
    await scan(server);
    expect((await allTracks(server)).map(({ id, availability }) => [id, availability])).toEqual(
      ids.map((id) => [id, 'available']),
    );
  });

  test('an empty or missing music folder fails the scan and changes nothing', async () => {
    const { folder } = smallFolder(2);
    const server = await serverOn(folder, mode);
    await scan(server);
    const previousTracks = await allTracks(server);
    renameSync(folder, `${folder}-away`);
    const refusal = await server.api('/sources/local_folder/scan', { method: 'POST' });
    expect([refusal.status, refusal.text]).toEqual([503, expect.stringContaining('does not exist')]);
    mkdirSync(folder);
    const { status, error } = await scan(server);
    expect([status, error]).toEqual(['failed', expect.stringContaining('is empty, but held music before')]);
    const availability = mode === 'copy' ? 'available' : 'offline'; // the missing folder is noticed at once
    expect(await allTracks(server)).toEqual(previousTracks.map((track) => ({ ...track, availability })));
  });
});

test('copied audio survives the loss of the music folder; the folder itself is never written to', async () => {
  const { folder } = smallFolder(3);
  const previousFiles = filesBelow(folder).map((file) => [file, statSync(file).mtimeMs, readFileSync(file).length]);
  const server = await serverOn(folder, 'copy');
  await scan(server);
  expect(filesBelow(folder).map((file) => [file, statSync(file).mtimeMs, readFileSync(file).length])).toEqual(
    previousFiles,
  );
  rmSync(folder, { recursive: true });
  const { body } = await server.api<TrackPage>('/tracks');
  expect((await fetch(`${server.url}/stream/${body.items[0]?.id}?token=${server.token}`)).status).toBe(200);
});

test('copied audio stays playable after switching to reference mode, when the file is removed', async () => {
  const { folder, files } = smallFolder(2);
  const dir = mkdtempSync(join(base, 'data-'));
  const firstServer = await serverOn(folder, 'copy', { dir });
  await scan(firstServer);
  await firstServer.close();
  open.pop();
  rmSync(join(folder, files[0] as string));
  const server = await serverOn(folder, 'reference', { dir });
  expect((await scan(server)).result).toMatchObject({ missing: 0, unchanged: 1 });
  for (const track of await allTracks(server))
    expect([
      track.availability,
      (await fetch(`${server.url}/stream/${track.id}?token=${server.token}`)).status,
    ]).toEqual(['available', 200]);
});

test('a scan requested while one runs is the same scan', async () => {
  const server = await serverOn(manifest.dir, 'reference');
  const [a, b] = await Promise.all(
    [1, 2].map(() => server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' })),
  );
  expect(a?.body.id).toBe(b?.body.id);
  await server.app.drain();
});

test('a cancelled scan keeps what it did, and the next one does the rest', async () => {
  const server = await serverOn(manifest.dir, 'copy');
  const { body: job } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  const cancelResponse = await server.api<JobOut>(`/jobs/${job.id}`, { method: 'DELETE' });
  expect(cancelResponse.status).toBe(200);
  await server.app.drain();
  expect((await server.api<JobOut>(`/jobs/${job.id}`)).body.status).toBe('cancelled');
  await scan(server);
  expect(differences(await allTracks(server), manifest)).toEqual([]);
});

test('sources that cannot be scanned say so', async () => {
  const server = await startServer();
  open.push(server);
  const answers = await Promise.all(
    ['local_folder', 'upload', 'nowhere'].map((name) => server.api(`/sources/${name}/scan`, { method: 'POST' })),
  );
  expect(answers.map((answer) => answer.status)).toEqual([409, 409, 404]);
  expect(answers[0]?.text).toContain('No music folder is set');
});

test('a file that the database rejects is an error in the result, and is added by the next scan', async () => {
  const folder = mkdtempSync(join(base, 'refused-'));
  const goodFile = manifest.files.find((file) => !file.messy && file.format === 'mp3')!;
  const names = ['1.mp3', '2.mp3', '3.mp3'];
  for (const name of names) writeFileSync(join(folder, name), readFileSync(join(manifest.dir, goodFile.path)));
  const [lateSheet, earlySheet] = ['00:00:30', '00:00:10'].map(
    (startTime, i) => `TRACK 0${i + 1} AUDIO\nINDEX 01 ${startTime}\n`,
  );
  writeFileSync(join(folder, '1.cue'), `FILE "1.mp3" MP3\n${lateSheet}${earlySheet}`);
  const server = await serverOn(folder, 'reference');
  let attempts = 0;
  server.app.db.$client.function('attempted', () => ++attempts);
  server.app.db.$client.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON tracks WHEN new.source_id = '2.mp3'
      BEGIN SELECT attempted(); SELECT RAISE(ABORT, 'refused'); END`,
  );
  const firstScan = await scan(server);
  expect(firstScan.result).toMatchObject({
    added: 2,
    failed: [{ source_id: '2.mp3', reason: 'it could not be saved (SQLITE_CONSTRAINT_TRIGGER)' }],
    failed_count: 1,
    skipped: [{ source_id: '1.mp3', reason: expect.stringContaining('the sheet 1.cue is not used') }],
    skipped_count: 1,
  });
  expect(attempts).toBeGreaterThan(1); // new tracks get a savepoint each only when their batch is written again
  server.app.db.$client.exec('DROP TRIGGER refuse');
  expect((await scan(server)).result).toMatchObject({ added: 1, failed_count: 0, unchanged: 2 });
  expect((await allTracks(server)).map((track) => track.source_id).toSorted()).toEqual(names);
});

test('two names that differ only in Unicode form are one track and one error', async () => {
  const { folder, files } = smallFolder(1);
  const source = join(folder, files[0] as string);
  cpSync(source, join(folder, 'Am\u00e9lie.mp3'));
  cpSync(source, join(folder, 'Ame\u0301lie.mp3'));
  const server = await serverOn(folder, 'reference');
  const { result } = await scan(server);
  const names = readdirSync(folder).filter((name) => name.normalize('NFC') === 'Am\u00e9lie.mp3');
  expect(result.failed.map((line) => line.reason)).toEqual(
    names.length === 2 ? ['another file has the same name but for its Unicode spelling'] : [],
  );
});
