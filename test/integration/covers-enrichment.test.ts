// Runs a whole server with a failing archive: the identification of a track never depends on its album's cover.
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
import { createReadableLog, type LogLine } from './cover-server.ts';

let picture: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 500, height: 500, channels: 3, background: '#804020' } })
    .jpeg()
    .toBuffer();
});

let archive: FakeCoverArchive;
let server: TestServer;
let lines: LogLine[];
let nowMs: number;
let limit: HeldLimit;
async function open(): Promise<void> {
  limit = holdLimit(HASTE.timeoutMs);
  archive = await startFakeCoverArchive();
  archive.onSilence = () => void limit.runOut();
  const logAndLines = createReadableLog();
  lines = logAndLines.lines;
  nowMs = Date.UTC(2024, 5, 1);
  server = await startServer({
    env: { COVERART_BASE_URL: archive.url },
    now: () => new Date(nowMs),
    archivePace: HASTE,
    log: logAndLines.log,
  });
}
async function close(): Promise<void> {
  await server.close();
  await archive.close();
  limit.release();
}

let albumCount = 0;
const makeReleaseGroupMbid = (): string => `9e8d7c6b-0000-4000-8000-${String(++albumCount).padStart(12, '0')}`;

/** Uploads a track of the release group's album, and runs all jobs that follow. */
async function upload(releaseGroupMbid: string, title = 'Harbour Lights'): Promise<TrackOut> {
  const frames = [
    id3Frame('TIT2', utf8Text(title)),
    id3Frame('TPE1', utf8Text(`Band ${albumCount}`)),
    id3Frame('TALB', utf8Text(`Album ${albumCount}`)),
    id3Frame('TXXX', utf8Text(`MusicBrainz Release Group Id\0${releaseGroupMbid}`)),
  ];
  const form = new FormData();
  form.append(
    'files',
    new Blob([new Uint8Array(Buffer.concat([id3(frames), silentMp3(60 + albumCount + title.length * 100)]))]),
    `${title}.mp3`,
  );
  const { body } = await server.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form });
  await server.app.drain();
  return (await server.api<TrackOut>(`/tracks/${body.items[0]?.id}`)).body;
}
const getAlbum = async (track: TrackOut): Promise<AlbumOut> =>
  (await server.api<AlbumOut>(`/albums/${track.album_id}`)).body;
const listJobStatuses = async (query: string): Promise<string[]> =>
  (await server.api<{ items: JobOut[] }>(`/jobs${query}`)).body.items.map(({ status }) => status);
const listCoverWarnings = (track: TrackOut): unknown[] =>
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

  it('gets the cover from the archive, and so does its artist', async () => {
    const releaseGroupMbid = makeReleaseGroupMbid();
    archive.groups.set(releaseGroupMbid, { picture });
    const track = await upload(releaseGroupMbid);
    expect(track).toMatchObject({ metadata_status: 'enriched', has_cover: true });
    expect((await getAlbum(track)).has_cover).toBe(true);
    expect((await server.api<ArtistOut>(`/artists/${track.artist_id}`)).body.has_cover).toBe(true);
    const cover = await fetch(`${server.url}/api/v1/tracks/${track.id}/cover?token=${server.token}`);
    expect([cover.status, Buffer.from(await cover.arrayBuffer()).equals(picture)]).toEqual([200, true]);
    await upload(releaseGroupMbid, 'Second Song');
    expect(archive.requests).toHaveLength(1);
  });

  const failureCases: [string, () => ArchiveBehaviour, RegExp][] = [
    // the test alternates with valid responses, because the archive is paused after four failures in a row
    ['is slow', () => 'silent', /took longer/],
    ['redirects to a private address', () => ({ redirect: 'http://localhost:9/' }), /inside a private network/],
    ['sends the picture drop by drop', () => 'dripping', /took longer/],
    ['sends a PDF', () => ({ picture: Buffer.from('%PDF-1.7') }), /not a JPEG, PNG/],
    ['responds with 500', () => ({ status: 500 }), /answered 500/],
    ['sends 200 MB', () => 'huge', /more than 10 MB/],
    ['sends a PNG of 30,000 by 30,000 pixels', () => ({ picture: pngBomb() }), /too many pixels/],
  ];
  it.each(failureCases)(
    'is enriched even if the archive %s; it gets no cover, and the log says why',
    async (_title, behaviour, reason) => {
      const releaseGroupMbid = makeReleaseGroupMbid();
      archive.groups.set(releaseGroupMbid, behaviour());
      const track = await upload(releaseGroupMbid);
      expect(track).toMatchObject({ metadata_status: 'enriched', metadata_error: null, has_cover: false });
      expect((await getAlbum(track)).has_cover).toBe(false);
      expect((await server.api(`/albums/${track.album_id}/cover`)).status).toBe(404);
      expect(listCoverWarnings(track)).toEqual([expect.stringMatching(reason)]);
      expect(await listJobStatuses('?status=failed')).toEqual([]);
    },
  );

  it('is enriched without a log line when the archive has no cover', async () => {
    const [releaseGroupMbid, previousLines] = [makeReleaseGroupMbid(), lines.length];
    const track = await upload(releaseGroupMbid);
    expect(track).toMatchObject({ metadata_status: 'enriched', has_cover: false });
    expect(lines.slice(previousLines).filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    expect(archive.requests.slice(-2).map(({ path }) => path)).toEqual([
      `/release-group/${releaseGroupMbid}/front-1200`,
      `/release-group/${releaseGroupMbid}/front-500`,
    ]);
  });
});

describe('an archive that is down', () => {
  beforeAll(open);
  afterAll(close);

  it('prevents no track from being enriched, and is asked again when it is up', async () => {
    await archive.close();
    const releaseGroupMbids = Array.from({ length: 4 }, makeReleaseGroupMbid);
    const tracks: TrackOut[] = [];
    for (const group of releaseGroupMbids) {
      albumCount++;
      tracks.push(await upload(group));
    }
    expect(tracks.map((track) => [track.metadata_status, track.has_cover])).toEqual(
      releaseGroupMbids.map(() => ['enriched', false]),
    );
    // after two failures the archive is paused
    expect(tracks.map((track) => listCoverWarnings(track).length)).toEqual([1, 1, 0, 0]);
    expect(listCoverWarnings(tracks[0] as TrackOut)).toEqual([expect.stringMatching(/refused the connection/)]);
    // earlier jobs had no album to ask for yet
    expect((await listJobStatuses('?task=cover_archive_task'))[0]).toBe('waiting');

    archive = await startFakeCoverArchive(Number(new URL(archive.url).port));
    for (const group of releaseGroupMbids) archive.groups.set(group, { picture });
    nowMs += 2 * 3_600_000;
    await server.app.drain();
    expect(new Set(await listJobStatuses('?task=cover_archive_task'))).toEqual(new Set(['succeeded']));
    // albums whose request failed wait longer
    expect(new Set(archive.requests.map(({ path }) => path)).size).toBe(2);

    nowMs += 4 * 3_600_000;
    await server.app.jobs.enqueue(COVER_TASK, {});
    await server.app.drain();
    for (const track of tracks) expect((await getAlbum(track)).has_cover).toBe(true);
    expect(await listJobStatuses('?status=failed')).toEqual([]);
  });
});
