// Files with a cue sheet: their tracks in lists, as streams, and through what people do with files and sheets.
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
let music: string;
let server: TestServer;

const at = (...path: string[]): string => join(music, ...path);
const write = (path: string, text: string): void => writeFileSync(at(path), text);

async function scan(): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

const tracksOf = async (album: string): Promise<TrackOut[]> =>
  (await allTracks(server))
    .filter((track) => track.album_title === album)
    .toSorted((a, b) => (a.track_number ?? 0) - (b.track_number ?? 0));
const like = (id: number | undefined) =>
  server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
async function isLiked(id: number | undefined): Promise<boolean> {
  const { body } = await server.api<LikeState[]>(`/likes/state?item_type=track&item_id=${id}`);
  return body[0]?.liked === true;
}
async function heard(id: number | undefined, query = ''): Promise<Buffer> {
  const response = await fetch(`${server.url}/stream/${id}${query}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

describe.skipIf(!ffmpeg).each(['reference', 'copy'])('in %s mode', (mode) => {
  const first = noise(1);
  const second = noise(2);

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-cue-'));
    music = join(base, 'music');
    for (const album of ['A', 'B', 'C']) mkdirSync(at(album), { recursive: true });
    encode(first, at('A', 'Image.flac'));
    encode(second, at('B', 'Image.flac'), '-metadata', `cuesheet=${sheetOf('Image.flac', 'B', ['x', 'y', 'z'])}`);
    encode(noise(3), at('C', 'Image.mp3'), '-metadata', 'title=Whole', '-metadata', 'album=C', '-b:a', '128k');
    write('A/Image.cue', sheetOf('Image.wav', 'A'));
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: mode } });
  });
  afterAll(async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  test('a file with a sheet beside or in it is its tracks', async () => {
    const { added, skipped } = await scan();
    expect([added, skipped]).toEqual([7, []]);
    const tracks = await tracksOf('A');
    expect(tracks.map(({ title, track_number, source_id }) => [title, track_number, source_id])).toEqual([
      ['One', 1, 'A/Image.flac//001'],
      ['Two', 2, 'A/Image.flac//002'],
      ['Three', 3, 'A/Image.flac//003'],
    ]);
    expect(
      tracks.map(({ format, artist_name, album_artist_name }) => [format, artist_name, album_artist_name]),
    ).toEqual(tracks.map(() => ['flac', 'Band', 'Band']));
    expect((await tracksOf('B')).map(({ title }) => title)).toEqual(['x', 'y', 'z']);
    expect((await tracksOf('C')).map(({ title }) => title)).toEqual(['Whole']);
  });

  test('its bytes count once', async () => {
    for (const album of ['A', 'B']) {
      const bytes = (await tracksOf(album)).reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0);
      expect(bytes).toBe(statSync(at(album, 'Image.flac')).size);
    }
  });

  test('each track is its part of the file, sample for sample', async () => {
    for (const [album, pcm] of [
      ['A', first],
      ['B', second],
    ] as const) {
      const parts = await Promise.all((await tracksOf(album)).map(async ({ id }) => decode(await heard(id))));
      expect(parts.map(({ length }, i) => length / FRAME_BYTES + (samplesAt[i] ?? 0))).toEqual([
        ...samplesAt.slice(1),
        SECONDS * RATE,
      ]);
      expect(Buffer.concat(parts).equals(pcm)).toBe(true);
    }
  });

  test('a track can be converted, sent by ranges, and begun in the middle', async () => {
    const [, two] = await tracksOf('A');
    const headers = { authorization: `Bearer ${server.token}`, range: 'bytes=4-11' };
    const part = await fetch(`${server.url}/stream/${two?.id}`, { headers });
    expect([part.status, part.headers.get('content-type')]).toEqual([206, 'audio/flac']);
    const samples = (samplesAt[2] as number) - (samplesAt[1] as number);
    expect((await heard(two?.id)).readUInt32BE(22)).toBe(samples); // so that players can seek
    expect(Buffer.from(await part.arrayBuffer())).toEqual((await heard(two?.id)).subarray(4, 12));
    const mp3 = decode(await heard(two?.id, '?format=mp3&max_bitrate=128'));
    expect(Math.abs(mp3.length / FRAME_BYTES - samples)).toBeLessThan(3_000); // the encoder's blocks
    const late = decode(await heard(two?.id, '?format=flac&start_ms=1000'));
    expect(late.equals(decode(await heard(two?.id)).subarray(RATE * FRAME_BYTES))).toBe(true);
  });

  test('nothing is read again as long as file and sheet stay the same', async () => {
    const { added, updated, moved, unchanged } = await scan();
    expect({ added, updated, moved, unchanged }).toEqual({ added: 0, updated: 0, moved: 0, unchanged: 3 });
  });

  test('the whole file is hidden while it has a sheet, and its tracks while it has none', async () => {
    const [whole] = await tracksOf('C');
    await like(whole?.id);
    const list = await server.api<PlaylistOut>('/playlists', { method: 'POST', body: { name: 'List' } });
    const entries = `/playlists/${list.body.id}`;
    await server.api(`${entries}/tracks`, { method: 'POST', body: { track_ids: [whole?.id] } });

    write('C/Image.cue', sheetOf('Image.mp3', 'C'));
    await scan();
    const tracks = await tracksOf('C');
    expect(tracks.map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
    expect((await server.api(`/tracks/${whole?.id}`)).status).toBe(404);
    expect((await server.api<{ items: unknown[] }>('/trash')).body.items).toEqual([]);
    await like(tracks[1]?.id);

    rmSync(at('C', 'Image.cue'));
    await scan();
    expect((await tracksOf('C')).map(({ id, title }) => [id, title])).toEqual([[whole?.id, 'Whole']]);
    expect(await isLiked(whole?.id)).toBe(true);
    const { body } = await server.api<PlaylistOut & { entries: { track: TrackOut }[] }>(entries);
    expect(body.entries.map(({ track }) => track.id)).toEqual([whole?.id]);

    write('C/Image.cue', sheetOf('Image.mp3', 'C', ['One', 'Two again', 'Three']));
    await scan();
    const back = await tracksOf('C');
    expect(back.map(({ id }) => id)).toEqual(tracks.map(({ id }) => id));
    expect([back[1]?.title, await isLiked(back[1]?.id)]).toEqual(['Two again', true]);
  });

  test('the tracks of a lossy file are its parts too', async () => {
    const whole = decode(at('C', 'Image.mp3'));
    const parts = await Promise.all((await tracksOf('C')).map(async ({ id }) => decode(await heard(id))));
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  test('tracks keep what people did when the file is moved and the sheet is written anew', async () => {
    const before = await tracksOf('A');
    await like(before[2]?.id);
    renameSync(at('A'), at('Moved'));
    renameSync(at('Moved', 'Image.flac'), at('Moved', 'Record.flac'));
    rmSync(at('Moved', 'Image.cue'));
    write('Moved/Record.cue', sheetOf('Record.flac', 'A', ['One', 'Two', 'Last']));
    await scan();
    const after = await tracksOf('A');
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.map(({ title, source_id, availability }) => [title, source_id, availability])).toEqual([
      ['One', 'Moved/Record.flac//001', 'available'],
      ['Two', 'Moved/Record.flac//002', 'available'],
      ['Last', 'Moved/Record.flac//003', 'available'],
    ]);
    expect(await isLiked(after[2]?.id)).toBe(true);
    expect(decode(await heard(after[0]?.id)).equals(first.subarray(0, (samplesAt[1] as number) * FRAME_BYTES))).toBe(
      true,
    );
  });

  test('files that change their names with each other take their tracks along', async () => {
    const [a, b] = [await tracksOf('A'), await tracksOf('B')];
    renameSync(at('Moved', 'Record.flac'), at('swap'));
    renameSync(at('B', 'Image.flac'), at('Moved', 'Record.flac'));
    renameSync(at('swap'), at('B', 'Image.flac'));
    write('B/Image.cue', sheetOf('Image.flac', 'A', ['One', 'Two', 'Last']));
    write('Moved/Record.cue', sheetOf('Record.flac', 'B', ['x', 'y', 'z']));
    await scan();
    expect((await tracksOf('A')).map(({ id, source_id }) => [id, source_id])).toEqual(
      a.map(({ id }, i) => [id, `B/Image.flac//00${i + 1}`]),
    );
    expect((await tracksOf('B')).map(({ id }) => id)).toEqual(b.map(({ id }) => id));
    expect(await isLiked(a[2]?.id)).toBe(true);
  });

  test('a track that is numbered otherwise stays itself, and one that is left out comes back', async () => {
    const before = await tracksOf('B');
    await like(before[1]?.id);
    const sheet = sheetOf('Record.flac', 'B', ['x', 'y', 'z']);
    write('Moved/Record.cue', sheet.replace('TRACK 02', 'TRACK 07').replace('TRACK 03', 'TRACK 08'));
    await scan();
    expect((await tracksOf('B')).map(({ id, track_number }) => [id, track_number])).toEqual(
      before.map(({ id }, i) => [id, [1, 7, 8][i]]),
    );
    write('Moved/Record.cue', sheetOf('Record.flac', 'B', ['x', 'y']));
    await scan();
    expect((await tracksOf('B')).map(({ id }) => id)).toEqual(before.slice(0, 2).map(({ id }) => id));
    write('Moved/Record.cue', sheet);
    await scan();
    expect((await tracksOf('B')).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(await isLiked(before[1]?.id)).toBe(true);
  });

  test('tracks of a file that is gone are as missing as a file, and come back with it', async () => {
    const before = await tracksOf('B');
    renameSync(at('Moved'), join(base, 'away'));
    const { missing } = await scan();
    expect(missing).toBe(mode === 'reference' ? 3 : 0);
    expect((await tracksOf('B'))[0]?.availability).toBe(mode === 'reference' ? 'missing' : 'available');
    renameSync(join(base, 'away'), at('Moved'));
    await scan();
    expect((await tracksOf('B')).map(({ id, availability }) => [id, availability])).toEqual(
      before.map(({ id }) => [id, 'available']),
    );
  });

  test('a broken sheet leaves the file whole, and every scan says why', async () => {
    const reason = 'the sheet Image.cue is not used: track 3 begins before track 2 ends';
    write('C/Image.cue', sheetOf('Image.mp3', 'C').replace(BEGINS[2] as string, '00:00:10'));
    const skipped = [{ source_id: 'C/Image.mp3', reason }];
    expect((await scan()).skipped).toEqual(skipped);
    expect((await tracksOf('C')).map(({ title }) => title)).toEqual(['Whole']);
    const again = await scan();
    expect([again.skipped, again.updated, again.unchanged]).toEqual([skipped, 0, 3]);
  });

  test('a deleted track stays deleted, and the others stay', async () => {
    const [, two] = await tracksOf('B');
    await server.api(`/tracks/${two?.id}`, { method: 'DELETE' });
    await scan();
    expect((await tracksOf('B')).map(({ title }) => title)).toEqual(['x', 'z']);
    await server.api('/sources/local_folder/scan?restore=true', { method: 'POST' });
    await server.app.drain();
    expect((await tracksOf('B')).map(({ id }) => id)).toContain(two?.id);
  });

  test('a deleted track stays deleted whatever becomes of file and sheet, and is restored with the sheet', async () => {
    const [, two] = await tracksOf('A');
    const titles = async (): Promise<string[]> => (await tracksOf('A')).map(({ title }) => title);
    const restore = () => server.api(`/trash/${two?.id}/restore`, { method: 'POST' });
    await server.api(`/tracks/${two?.id}`, { method: 'DELETE' });
    const sheet = sheetOf('Image.flac', 'A', ['One', 'Two', 'Three']);
    for (const other of [sheet, sheet.replace('TRACK 02', 'TRACK 05').replace('TRACK 03', 'TRACK 06')]) {
      write('B/Image.cue', other);
      await scan();
      expect(await titles()).toEqual(['One', 'Three']);
    }
    renameSync(at('B'), at('Again'));
    renameSync(at('Again', 'Image.flac'), at('Again', 'Side.flac'));
    rmSync(at('Again', 'Image.cue'));
    write('Again/Side.cue', sheetOf('Side.flac', 'A', ['One', 'Two', 'Three']));
    await scan();
    expect(await titles()).toEqual(['One', 'Three']);

    rmSync(at('Again', 'Side.cue'));
    await scan();
    const whole = (await allTracks(server)).filter(({ source_id }) => source_id?.startsWith('Again/'));
    expect(whole.map(({ source_id }) => source_id)).toEqual(['Again/Side.flac']);
    expect((await restore()).status).toBe(409);
    write('Again/Side.cue', sheetOf('Side.flac', 'A', ['One', 'Two', 'Three']));
    await scan();
    expect(await titles()).toEqual(['One', 'Three']);
    expect((await restore()).status).toBe(200);
    await scan();
    expect((await tracksOf('A')).map(({ id, source_id }) => [id === two?.id, source_id])).toEqual([
      [false, 'Again/Side.flac//001'],
      [true, 'Again/Side.flac//002'],
      [false, 'Again/Side.flac//003'],
    ]);
  });

  test('hidden tracks stay when the trash is emptied and when old ones are deleted', async () => {
    write('C/Image.cue', sheetOf('Image.mp3', 'C'));
    await scan();
    expect((await tracksOf('C')).map(({ title }) => title)).toEqual(['One', 'Two', 'Three']);
    server.app.db.$client.prepare('UPDATE trashed_tracks SET deleted_at = 0').run();
    await server.app.trash.purgeOld();
    expect((await server.api('/trash/empty', { method: 'POST', body: {} })).status).toBe(200);
    rmSync(at('C', 'Image.cue'));
    await scan();
    const [whole] = await tracksOf('C');
    expect([whole?.title, await isLiked(whole?.id)]).toEqual(['Whole', true]);
  });

  test('tracks come back with their music folder, and follow the sheet as before', async () => {
    const vinyl = join(base, 'vinyl');
    mkdirSync(vinyl);
    encode(noise(4), join(vinyl, 'Image.flac'));
    writeFileSync(join(vinyl, 'Image.cue'), sheetOf('Image.flac', 'D'));
    const body = { name: 'Vinyl', path: vinyl, mode: 'reference' };
    const { id } = (await server.api<{ id: number }>('/music-folders', { method: 'POST', body })).body;
    await server.app.drain();
    const before = await tracksOf('D');
    await like(before[1]?.id);

    await server.api(`/music-folders/${id}`, { method: 'DELETE' });
    await server.app.drain();
    expect(await tracksOf('D')).toEqual([]);
    await server.api(`/music-folders/${id}/restore`, { method: 'POST' });
    await server.app.drain();
    writeFileSync(join(vinyl, 'Image.cue'), sheetOf('Image.flac', 'D', ['One', 'Two again', 'Three']));
    expect((await scan()).failed).toEqual([]);
    const after = await tracksOf('D');
    expect(after.map(({ id: now, title }) => [now, title])).toEqual(
      before.map((track, i) => [track.id, ['One', 'Two again', 'Three'][i]]),
    );
    expect(await isLiked(after[1]?.id)).toBe(true);
  });
});
