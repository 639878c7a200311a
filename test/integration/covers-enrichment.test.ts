// A whole server and a failing archive: the identification of a track never depends on its album's cover.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COVER_TASK } from '../../server/covers/tasks.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumOut, ArtistOut, TrackOut } from '../../server/library/wire.ts';
import {
  pngBomb,
  startFakeCoverArchive,
  type ArchiveBehaviour,
  type FakeCoverArchive,
} from '../fakes/cover-archive.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { HASTE } from '../support/cover-archive.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { readableLog, type LogLine } from './cover-server.ts';

let picture: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 500, height: 500, channels: 3, background: '#804020' } })
    .jpeg()
    .toBuffer();
});

let archive: FakeCoverArchive;
let server: TestServer;
let lines: LogLine[];
let time: number;
let limit: HeldLimit;
async function open(): Promise<void> {
  limit = holdLimit(HASTE.timeoutMs);
  archive = await startFakeCoverArchive();
  archive.onSilence = () => void limit.runOut();
  const readable = readableLog();
  lines = readable.lines;
  time = Date.UTC(2024, 5, 1);
  server = await startServer({
    env: { COVERART_BASE_URL: archive.url },
    now: () => new Date(time),
    archivePace: HASTE,
    log: readable.log,
  });
}
async function close(): Promise<void> {
  await server.close();
  await archive.close();
  limit.release();
}

let count = 0;
const newGroup = (): string => `9e8d7c6b-0000-4000-8000-${String(++count).padStart(12, '0')}`;

/** Uploads a track of the release group's album, and runs all jobs that follow. */
async function upload(group: string, title = 'Harbour Lights'): Promise<TrackOut> {
  const frames = [
    id3Frame('TIT2', utf8Text(title)),
    id3Frame('TPE1', utf8Text(`Band ${count}`)),
    id3Frame('TALB', utf8Text(`Album ${count}`)),
    id3Frame('TXXX', utf8Text(`MusicBrainz Release Group Id\0${group}`)),
  ];
  const form = new FormData();
  form.append(
    'files',
    new Blob([new Uint8Array(Buffer.concat([id3(frames), silentMp3(60 + count + title.length * 100)]))]),
    `${title}.mp3`,
  );
  const { body } = await server.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form });
  await server.app.drain();
  return (await server.api<TrackOut>(`/tracks/${body.items[0]?.id}`)).body;
}
const albumOf = async (track: TrackOut): Promise<AlbumOut> =>
  (await server.api<AlbumOut>(`/albums/${track.album_id}`)).body;
const statusesOf = async (query: string): Promise<string[]> =>
  (await server.api<{ items: JobOut[] }>(`/jobs${query}`)).body.items.map(({ status }) => status);
const reasonsOf = (track: TrackOut): unknown[] =>
  lines
    .filter(
      (line) =>
        line.level === 'warn' &&
        line.msg === 'cannot use the cover of the archive' &&
        line['album_id'] === track.album_id,
    )
    .map((line) => line['reason']);

describe('a track whose album has no cover', () => {
  beforeAll(open);
  afterAll(close);

  it('gets the one of the archive, and so does its artist', async () => {
    const group = newGroup();
    archive.groups.set(group, { picture });
    const track = await upload(group);
    expect(track).toMatchObject({ metadata_status: 'enriched', has_cover: true });
    expect((await albumOf(track)).has_cover).toBe(true);
    expect((await server.api<ArtistOut>(`/artists/${track.artist_id}`)).body.has_cover).toBe(true);
    const cover = await fetch(`${server.url}/api/v1/tracks/${track.id}/cover?token=${server.token}`);
    expect([cover.status, Buffer.from(await cover.arrayBuffer()).equals(picture)]).toEqual([200, true]);
    await upload(group, 'Second Song');
    expect(archive.asked).toHaveLength(1);
  });

  const bad: [string, () => ArchiveBehaviour, RegExp][] = [
    // valid responses in between: after four failures in a row it is paused
    ['is slow', () => 'silent', /took longer/],
    ['redirects to a private address', () => ({ redirect: 'http://localhost:9/' }), /inside a private network/],
    ['sends the picture drop by drop', () => 'dripping', /took longer/],
    ['answers a PDF', () => ({ picture: Buffer.from('%PDF-1.7') }), /not a JPEG, PNG/],
    ['answers 500', () => ({ status: 500 }), /answered 500/],
    ['answers 200 MB', () => 'huge', /more than 10 MB/],
    ['answers a PNG of 30,000 by 30,000 pixels', () => ({ picture: pngBomb() }), /too many pixels/],
  ];
  it.each(bad)(
    'is enriched even if the archive %s; it has no cover, and the log says why',
    async (_what, behaviour, reason) => {
      const group = newGroup();
      archive.groups.set(group, behaviour());
      const track = await upload(group);
      expect(track).toMatchObject({ metadata_status: 'enriched', metadata_error: null, has_cover: false });
      expect((await albumOf(track)).has_cover).toBe(false);
      expect((await server.api(`/albums/${track.album_id}/cover`)).status).toBe(404);
      expect(reasonsOf(track)).toEqual([expect.stringMatching(reason)]);
      expect(await statusesOf('?status=failed')).toEqual([]);
    },
  );

  it('is enriched without a log line when the archive has none', async () => {
    const [group, said] = [newGroup(), lines.length];
    const track = await upload(group);
    expect(track).toMatchObject({ metadata_status: 'enriched', has_cover: false });
    expect(lines.slice(said).filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    expect(archive.asked.slice(-2).map(({ path }) => path)).toEqual([
      `/release-group/${group}/front-1200`,
      `/release-group/${group}/front-500`,
    ]);
  });
});

describe('an archive that is down', () => {
  beforeAll(open);
  afterAll(close);

  it('prevents no track from being enriched, and is asked again when it is up', async () => {
    await archive.close();
    const groups = Array.from({ length: 4 }, newGroup);
    const tracks: TrackOut[] = [];
    for (const group of groups) {
      count++;
      tracks.push(await upload(group));
    }
    expect(tracks.map((track) => [track.metadata_status, track.has_cover])).toEqual(
      groups.map(() => ['enriched', false]),
    );
    expect(tracks.map((track) => reasonsOf(track).length)).toEqual([1, 1, 0, 0]); // then it is paused
    expect(reasonsOf(tracks[0] as TrackOut)).toEqual([expect.stringMatching(/refused the connection/)]);
    expect((await statusesOf('?task=cover_archive_task'))[0]).toBe('waiting'); // earlier ones had nothing to ask yet

    archive = await startFakeCoverArchive(Number(new URL(archive.url).port));
    for (const group of groups) archive.groups.set(group, { picture });
    time += 2 * 3_600_000;
    await server.app.drain();
    expect(new Set(await statusesOf('?task=cover_archive_task'))).toEqual(new Set(['succeeded']));
    // those without a result wait longer
    expect(new Set(archive.asked.map(({ path }) => path)).size).toBe(2);

    time += 4 * 3_600_000;
    await server.app.jobs.enqueue(COVER_TASK, {});
    await server.app.drain();
    for (const track of tracks) expect((await albumOf(track)).has_cover).toBe(true);
    expect(await statusesOf('?status=failed')).toEqual([]);
  });
});
