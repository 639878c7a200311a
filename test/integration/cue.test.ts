// Tests files with a CUE sheet: their tracks in lists, as streams, and when files and sheets are moved or edited.
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { LikeState } from '../../server/likes/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { PlaylistOut } from '../../server/playlists/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import {
  BEGINS,
  decode,
  encode,
  FRAME_BYTES,
  noise,
  RATE,
  samplesAt,
  SECONDS,
  sheetOf,
} from '../support/split-files.ts';
import { toolOrWarn } from '../support/tools.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'cue sheets are');

let base: string;
let musicDir: string;
let server: TestServer;

const pathOf = (...path: string[]): string => join(musicDir, ...path);
const writeSheet = (path: string, text: string): void => writeFileSync(pathOf(path), text);

async function scan(): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

const listAlbumTracks = async (album: string): Promise<TrackOut[]> =>
  (await allTracks(server))
    .filter((track) => track.album_title === album)
    .toSorted((a, b) => (a.track_number ?? 0) - (b.track_number ?? 0));
const like = (id: number | undefined) =>
  server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
async function isLiked(id: number | undefined): Promise<boolean> {
  const { body } = await server.api<LikeState[]>(`/likes/state?item_type=track&item_id=${id}`);
  return body[0]?.liked === true;
}
async function fetchAudio(id: number | undefined, query = ''): Promise<Buffer> {
  const response = await fetch(`${server.url}/stream/${id}${query}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe.skipIf(!ffmpeg).each(['reference', 'copy'])('in %s mode', (mode) => {
  const firstPcm = noise(1);
  const secondPcm = noise(2);

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-cue-'));
    musicDir = join(base, 'music');
    for (const album of ['A', 'B', 'C']) mkdirSync(pathOf(album), { recursive: true });
    encode(firstPcm, pathOf('A', 'Image.flac'));
    encode(
      secondPcm,
      pathOf('B', 'Image.flac'),
      '-metadata',
      `cuesheet=${sheetOf('Image.flac', 'B', ['x', 'y', 'z'])}`,
    );
    encode(noise(3), pathOf('C', 'Image.mp3'), '-metadata', 'title=Whole', '-metadata', 'album=C', '-b:a', '128k');
    writeSheet('A/Image.cue', sheetOf('Image.wav', 'A'));
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, LOCAL_MEDIA_IMPORT_MODE: mode } });
  });
  afterAll(async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  test('a file with a sheet beside or in it is imported as its tracks', async () => {
    const { added, skipped } = await scan();
    expect([added, skipped]).toEqual([7, []]);
    const tracks = await listAlbumTracks('A');
    expect(tracks.map(({ title, track_number, source_id }) => [title, track_number, source_id])).toEqual([
      ['One', 1, 'A/Image.flac//001'],
      ['Two', 2, 'A/Image.flac//002'],
      ['Three', 3, 'A/Image.flac//003'],
    ]);
    expect(
      tracks.map(({ format, artist_name, album_artist_name }) => [format, artist_name, album_artist_name]),
    ).toEqual(tracks.map(() => ['flac', 'Band', 'Band']));
    expect((await listAlbumTracks('B')).map(({ title }) => title)).toEqual(['x', 'y', 'z']);
    expect((await listAlbumTracks('C')).map(({ title }) => title)).toEqual(['Whole']);
  });

  test('the bytes of a file count once', async () => {
    for (const album of ['A', 'B']) {
      const bytes = (await listAlbumTracks(album)).reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0);
      expect(bytes).toBe(statSync(pathOf(album, 'Image.flac')).size);
    }
  });

  test('each track is its part of the file, sample for sample', async () => {
    for (const [album, pcm] of [
      ['A', firstPcm],
      ['B', secondPcm],
    ] as const) {
      const parts = await Promise.all(
        (await listAlbumTracks(album)).map(async ({ id }) => decode(await fetchAudio(id))),
      );
      expect(parts.map(({ length }, i) => length / FRAME_BYTES + (samplesAt[i] ?? 0))).toEqual([
        ...samplesAt.slice(1),
        SECONDS * RATE,
      ]);
      expect(Buffer.concat(parts).equals(pcm)).toBe(true);
    }
  });

  test('a track can be converted, sent by ranges, and begun in the middle', async () => {
    const [, secondTrack] = await listAlbumTracks('A');
    const headers = { authorization: `Bearer ${server.token}`, range: 'bytes=4-11' };
    const partialResponse = await fetch(`${server.url}/stream/${secondTrack?.id}`, { headers });
    expect([partialResponse.status, partialResponse.headers.get('content-type')]).toEqual([206, 'audio/flac']);
    const samples = (samplesAt[2] as number) - (samplesAt[1] as number);
    expect((await fetchAudio(secondTrack?.id)).readUInt32BE(22)).toBe(samples); // the sample count lets players seek
    expect(Buffer.from(await partialResponse.arrayBuffer())).toEqual(
      (await fetchAudio(secondTrack?.id)).subarray(4, 12),
    );
    const mp3 = decode(await fetchAudio(secondTrack?.id, '?format=mp3&max_bitrate=128'));
    expect(Math.abs(mp3.length / FRAME_BYTES - samples)).toBeLessThan(3_000); // the encoder fills its last blocks
    const pcmFromMiddle = decode(await fetchAudio(secondTrack?.id, '?format=flac&start_ms=1000'));
    expect(pcmFromMiddle.equals(decode(await fetchAudio(secondTrack?.id)).subarray(RATE * FRAME_BYTES))).toBe(true);
  });

  test('nothing is read again as long as file and sheet stay the same', async () => {
    const { added, updated, moved, unchanged } = await scan();
    expect({ added, updated, moved, unchanged }).toEqual({ added: 0, updated: 0, moved: 0, unchanged: 3 });
  });

  test('the whole file is hidden while it has a sheet, and its tracks while it has none', async () => {
    const [wholeTrack] = await listAlbumTracks('C');
    await like(wholeTrack?.id);
    const list = await server.api<PlaylistOut>('/playlists', { method: 'POST', body: { name: 'List' } });
    const entries = `/playlists/${list.body.id}`;
    await server.api(`${entries}/tracks`, { method: 'POST', body: { track_ids: [wholeTrack?.id] } });

    writeSheet('C/Image.cue', sheetOf('Image.mp3', 'C'));
    await scan();
    const tracks = await listAlbumTracks('C');
    expect(tracks.map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
    expect((await server.api(`/tracks/${wholeTrack?.id}`)).status).toBe(404);
    expect((await server.api<{ items: unknown[] }>('/trash')).body.items).toEqual([]);
    await like(tracks[1]?.id);

    rmSync(pathOf('C', 'Image.cue'));
    await scan();
    expect((await listAlbumTracks('C')).map(({ id, title }) => [id, title])).toEqual([[wholeTrack?.id, 'Whole']]);
    expect(await isLiked(wholeTrack?.id)).toBe(true);
    const { body } = await server.api<PlaylistOut & { entries: { track: TrackOut }[] }>(entries);
    expect(body.entries.map(({ track }) => track.id)).toEqual([wholeTrack?.id]);

    writeSheet('C/Image.cue', sheetOf('Image.mp3', 'C', ['One', 'Two again', 'Three']));
    await scan();
    const restoredTracks = await listAlbumTracks('C');
    expect(restoredTracks.map(({ id }) => id)).toEqual(tracks.map(({ id }) => id));
    expect([restoredTracks[1]?.title, await isLiked(restoredTracks[1]?.id)]).toEqual(['Two again', true]);
  });

  test('the tracks of a lossy file are its parts too', async () => {
    const wholePcm = decode(pathOf('C', 'Image.mp3'));
    const parts = await Promise.all((await listAlbumTracks('C')).map(async ({ id }) => decode(await fetchAudio(id))));
    expect(Buffer.concat(parts).equals(wholePcm)).toBe(true);
  });

  test('tracks keep their likes when the file is moved and the sheet is rewritten', async () => {
    const previousTracks = await listAlbumTracks('A');
    await like(previousTracks[2]?.id);
    renameSync(pathOf('A'), pathOf('Moved'));
    renameSync(pathOf('Moved', 'Image.flac'), pathOf('Moved', 'Record.flac'));
    rmSync(pathOf('Moved', 'Image.cue'));
    writeSheet('Moved/Record.cue', sheetOf('Record.flac', 'A', ['One', 'Two', 'Last']));
    await scan();
    const currentTracks = await listAlbumTracks('A');
    expect(currentTracks.map(({ id }) => id)).toEqual(previousTracks.map(({ id }) => id));
    expect(currentTracks.map(({ title, source_id, availability }) => [title, source_id, availability])).toEqual([
      ['One', 'Moved/Record.flac//001', 'available'],
      ['Two', 'Moved/Record.flac//002', 'available'],
      ['Last', 'Moved/Record.flac//003', 'available'],
    ]);
    expect(await isLiked(currentTracks[2]?.id)).toBe(true);
    expect(
      decode(await fetchAudio(currentTracks[0]?.id)).equals(
        firstPcm.subarray(0, (samplesAt[1] as number) * FRAME_BYTES),
      ),
    ).toBe(true);
  });

  test('files that change their names with each other take their tracks along', async () => {
    const [tracksOfA, tracksOfB] = [await listAlbumTracks('A'), await listAlbumTracks('B')];
    renameSync(pathOf('Moved', 'Record.flac'), pathOf('swap'));
    renameSync(pathOf('B', 'Image.flac'), pathOf('Moved', 'Record.flac'));
    renameSync(pathOf('swap'), pathOf('B', 'Image.flac'));
    writeSheet('B/Image.cue', sheetOf('Image.flac', 'A', ['One', 'Two', 'Last']));
    writeSheet('Moved/Record.cue', sheetOf('Record.flac', 'B', ['x', 'y', 'z']));
    await scan();
    expect((await listAlbumTracks('A')).map(({ id, source_id }) => [id, source_id])).toEqual(
      tracksOfA.map(({ id }, i) => [id, `B/Image.flac//00${i + 1}`]),
    );
    expect((await listAlbumTracks('B')).map(({ id }) => id)).toEqual(tracksOfB.map(({ id }) => id));
    expect(await isLiked(tracksOfA[2]?.id)).toBe(true);
  });

  test('a track stays the same when its number changes, and comes back after it was left out', async () => {
    const previousTracks = await listAlbumTracks('B');
    await like(previousTracks[1]?.id);
    const sheet = sheetOf('Record.flac', 'B', ['x', 'y', 'z']);
    writeSheet('Moved/Record.cue', sheet.replace('TRACK 02', 'TRACK 07').replace('TRACK 03', 'TRACK 08'));
    await scan();
    expect((await listAlbumTracks('B')).map(({ id, track_number }) => [id, track_number])).toEqual(
      previousTracks.map(({ id }, i) => [id, [1, 7, 8][i]]),
    );
    writeSheet('Moved/Record.cue', sheetOf('Record.flac', 'B', ['x', 'y']));
    await scan();
    expect((await listAlbumTracks('B')).map(({ id }) => id)).toEqual(previousTracks.slice(0, 2).map(({ id }) => id));
    writeSheet('Moved/Record.cue', sheet);
    await scan();
    expect((await listAlbumTracks('B')).map(({ id }) => id)).toEqual(previousTracks.map(({ id }) => id));
    expect(await isLiked(previousTracks[1]?.id)).toBe(true);
  });

  test('tracks of a file that is gone are missing, and come back with the file', async () => {
    const previousTracks = await listAlbumTracks('B');
    renameSync(pathOf('Moved'), join(base, 'away'));
    const { missing } = await scan();
    expect(missing).toBe(mode === 'reference' ? 3 : 0);
    expect((await listAlbumTracks('B'))[0]?.availability).toBe(mode === 'reference' ? 'missing' : 'available');
    renameSync(join(base, 'away'), pathOf('Moved'));
    await scan();
    expect((await listAlbumTracks('B')).map(({ id, availability }) => [id, availability])).toEqual(
      previousTracks.map(({ id }) => [id, 'available']),
    );
  });

  test('a file with a broken sheet is one track, and every scan says why', async () => {
    const reason = 'the sheet Image.cue is not used: track 3 begins before track 2 ends';
    writeSheet('C/Image.cue', sheetOf('Image.mp3', 'C').replace(BEGINS[2] as string, '00:00:10'));
    const skippedSheets = [{ source_id: 'C/Image.mp3', reason }];
    expect((await scan()).skipped).toEqual(skippedSheets);
    expect((await listAlbumTracks('C')).map(({ title }) => title)).toEqual(['Whole']);
    const [track] = await listAlbumTracks('C');
    expect((await server.api(`/tracks/${track?.id}/file-notes`)).body).toEqual([reason]);
    const secondScan = await scan();
    expect([secondScan.skipped, secondScan.updated, secondScan.unchanged]).toEqual([skippedSheets, 0, 3]);
  });

  test('a deleted track stays deleted, and the others stay', async () => {
    const [, secondTrack] = await listAlbumTracks('B');
    await server.api(`/tracks/${secondTrack?.id}`, { method: 'DELETE' });
    await scan();
    expect((await listAlbumTracks('B')).map(({ title }) => title)).toEqual(['x', 'z']);
    await server.api('/sources/local_folder/scan?restore=true', { method: 'POST' });
    await server.app.drain();
    expect((await listAlbumTracks('B')).map(({ id }) => id)).toContain(secondTrack?.id);
  });

  test('a deleted track stays deleted whatever happens to the file and the sheet, and is restored with the sheet', async () => {
    const [, secondTrack] = await listAlbumTracks('A');
    const listTitles = async (): Promise<string[]> => (await listAlbumTracks('A')).map(({ title }) => title);
    const restoreTrack = () => server.api(`/trash/${secondTrack?.id}/restore`, { method: 'POST' });
    await server.api(`/tracks/${secondTrack?.id}`, { method: 'DELETE' });
    const sheet = sheetOf('Image.flac', 'A', ['One', 'Two', 'Three']);
    for (const changedSheet of [sheet, sheet.replace('TRACK 02', 'TRACK 05').replace('TRACK 03', 'TRACK 06')]) {
      writeSheet('B/Image.cue', changedSheet);
      await scan();
      expect(await listTitles()).toEqual(['One', 'Three']);
    }
    renameSync(pathOf('B'), pathOf('Again'));
    renameSync(pathOf('Again', 'Image.flac'), pathOf('Again', 'Side.flac'));
    rmSync(pathOf('Again', 'Image.cue'));
    writeSheet('Again/Side.cue', sheetOf('Side.flac', 'A', ['One', 'Two', 'Three']));
    await scan();
    expect(await listTitles()).toEqual(['One', 'Three']);

    rmSync(pathOf('Again', 'Side.cue'));
    await scan();
    const wholeTracks = (await allTracks(server)).filter(({ source_id }) => source_id?.startsWith('Again/'));
    expect(wholeTracks.map(({ source_id }) => source_id)).toEqual(['Again/Side.flac']);
    expect((await restoreTrack()).status).toBe(409);
    writeSheet('Again/Side.cue', sheetOf('Side.flac', 'A', ['One', 'Two', 'Three']));
    await scan();
    expect(await listTitles()).toEqual(['One', 'Three']);
    expect((await restoreTrack()).status).toBe(200);
    await scan();
    expect((await listAlbumTracks('A')).map(({ id, source_id }) => [id === secondTrack?.id, source_id])).toEqual([
      [false, 'Again/Side.flac//001'],
      [true, 'Again/Side.flac//002'],
      [false, 'Again/Side.flac//003'],
    ]);
  });

  test('hidden tracks stay when the trash is emptied and when its old tracks are deleted', async () => {
    writeSheet('C/Image.cue', sheetOf('Image.mp3', 'C'));
    await scan();
    expect((await listAlbumTracks('C')).map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
    server.app.db.$client.prepare('UPDATE trashed_tracks SET deleted_at = 0').run();
    await server.app.trash.purgeOld();
    expect((await server.api('/trash/empty', { method: 'POST', body: {} })).status).toBe(200);
    rmSync(pathOf('C', 'Image.cue'));
    await scan();
    const [wholeTrack] = await listAlbumTracks('C');
    expect([wholeTrack?.title, await isLiked(wholeTrack?.id)]).toEqual(['Whole', true]);
  });

  test('tracks come back with their music folder, and follow the sheet as before', async () => {
    const vinylDir = join(base, 'vinyl');
    mkdirSync(vinylDir);
    encode(noise(4), join(vinylDir, 'Image.flac'));
    writeFileSync(join(vinylDir, 'Image.cue'), sheetOf('Image.flac', 'D'));
    const body = { name: 'Vinyl', path: vinylDir, mode: 'reference' };
    const { id } = (await server.api<{ id: number }>('/music-folders', { method: 'POST', body })).body;
    await server.app.drain();
    const previousTracks = await listAlbumTracks('D');
    await like(previousTracks[1]?.id);

    await server.api(`/music-folders/${id}`, { method: 'DELETE' });
    await server.app.drain();
    expect(await listAlbumTracks('D')).toEqual([]);
    await server.api(`/music-folders/${id}/restore`, { method: 'POST' });
    await server.app.drain();
    writeFileSync(join(vinylDir, 'Image.cue'), sheetOf('Image.flac', 'D', ['One', 'Two again', 'Three']));
    expect((await scan()).failed).toEqual([]);
    const currentTracks = await listAlbumTracks('D');
    expect(currentTracks.map(({ id: currentId, title }) => [currentId, title])).toEqual(
      previousTracks.map((track, i) => [track.id, ['One', 'Two again', 'Three'][i]]),
    );
    expect(await isLiked(currentTracks[1]?.id)).toBe(true);
  });
});
