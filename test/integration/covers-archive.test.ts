import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CoverCandidates } from '../../server/covers/wire.ts';
import type { AlbumId } from '../../server/db/ids.ts';
import {
  pngBomb,
  startFakeCoverArchive,
  type ArchiveBehaviour,
  type FakeCoverArchive,
} from '../fakes/cover-archive.ts';
import { HASTE } from '../support/cover-archive.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';
import { readBytes, makeMp3WithPicture, neverAborted, openCoverServer, type CoverServer } from './cover-server.ts';

const DAY_MS = 86_400_000;

let picture: Buffer;
let otherPicture: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 500, height: 500, channels: 3, background: '#804020' } })
    .jpeg()
    .toBuffer();
  otherPicture = await sharp({ create: { width: 100, height: 100, channels: 3, background: '#2040f0' } })
    .png()
    .toBuffer();
});

let archive: FakeCoverArchive;
let server: CoverServer;
let limit: HeldLimit;
beforeEach(async () => {
  limit = holdLimit(HASTE.timeoutMs);
  archive = await startFakeCoverArchive();
  archive.onSilence = () => void limit.runOut();
  server = await openCoverServer({ archiveUrl: archive.url });
});
afterEach(async () => {
  await server.close();
  await archive.close();
  limit.release();
});

const mbidOf = (n: number): string => `9e8d7c6b-0000-4000-8000-${String(n).padStart(12, '0')}`;
let albumCount = 0;

/** Adds an album; the archive behaves in this way for its release group. */
function addAlbum(behaviour?: ArchiveBehaviour): AlbumId {
  const releaseGroupMbid = mbidOf(++albumCount);
  if (behaviour) archive.groups.set(releaseGroupMbid, behaviour);
  return server.library.addAlbum({ releaseGroupMbid });
}

const resolveAll = () => server.covers.resolvePending({ signal: neverAborted, progress: () => {} });
const resolveDueAlbums = () => server.covers.resolveDue({ signal: neverAborted, progress: () => {} });
const listWarningReasons = () => server.lines.filter((line) => line.level === 'warn').map((line) => line['reason']);

describe('the cover archive', () => {
  it('is asked by release group when there is no local image, through its redirects, with a User-Agent', async () => {
    const album = addAlbum({ picture });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(server.rowOf(album)).toMatchObject({ key: `covers/${album}.jpg`, origin: 'archive' });
    expect((await readBytes(await server.call(`/albums/${album}/cover`))).equals(picture)).toBe(true);
    expect(archive.requests.map(({ path, userAgent }) => ({ path, userAgent }))).toEqual([
      { path: `/release-group/${mbidOf(albumCount)}/front-1200`, userAgent: 'Tonearm/0.0.0 ( someone@example.org )' },
    ]);
    expect(server.changedAlbums).toEqual([album]);
  });

  it('is asked for the smaller image when it has no large one', async () => {
    const album = addAlbum({ picture, only500: true });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(archive.requests.map(({ path }) => path.slice(-10))).toEqual(['front-1200', '/front-500']);
  });

  it('is not asked for an album with a local image, with a cover, or without a valid release group', async () => {
    const embeddedAlbum = addAlbum({ picture });
    await server.addAudio(embeddedAlbum, makeMp3WithPicture(otherPicture), 'mp3');
    const uploadedAlbum = addAlbum({ picture });
    await server.covers.setCover(uploadedAlbum, otherPicture);
    const removedAlbum = addAlbum({ picture });
    await server.covers.removeCover(removedAlbum);
    const unidentifiedAlbums = [server.library.addAlbum(), server.library.addAlbum({ releaseGroupMbid: '../../x' })];
    for (const album of [embeddedAlbum, uploadedAlbum, removedAlbum, ...unidentifiedAlbums])
      await server.covers.tryResolveCover(album);
    await resolveDueAlbums();
    expect(archive.requests).toEqual([]);
    expect(server.rowOf(embeddedAlbum)?.origin).toBe('embedded');
    expect(server.rowOf(removedAlbum)).toMatchObject({ key: null, origin: 'manual' });
  });

  it('is not asked when it is switched off', async () => {
    const offlineServer = await openCoverServer();
    const album = offlineServer.library.addAlbum({ releaseGroupMbid: mbidOf(++albumCount) });
    expect(await offlineServer.covers.tryResolveCover(album)).toBe(false);
    await offlineServer.covers.resolvePending({ signal: neverAborted, progress: () => {} });
    expect(await offlineServer.covers.hasDueAlbums({ signal: neverAborted })).toBe(false);
    expect(offlineServer.lookupOf(album)).toBeUndefined();
    await offlineServer.close();
  });

  it('never replaces a cover that a user uploads, or removes, during the request', async () => {
    archive.onSilence = () => undefined;
    const [uploadedAlbum, removedAlbum] = [addAlbum('dripping'), addAlbum('dripping')];
    const pendingResults = [uploadedAlbum, removedAlbum].map((album) => server.covers.tryResolveCover(album));
    await expect.poll(() => archive.requests.length).toBe(2);
    await server.covers.setCover(uploadedAlbum, otherPicture);
    await server.covers.removeCover(removedAlbum);
    for (const [mbid] of archive.groups) archive.groups.set(mbid, { picture });
    await limit.runOut();
    // the second request for each album received a picture
    expect(await Promise.all(pendingResults)).toEqual([false, false]);
    expect(archive.requests).toHaveLength(4);
    expect(server.rowOf(uploadedAlbum)).toMatchObject({ key: `covers/${uploadedAlbum}.png`, origin: 'manual' });
    expect(server.rowOf(removedAlbum)).toMatchObject({ key: null, origin: 'manual' });
    expect(server.listStoredCovers()).toEqual([`${uploadedAlbum}.png`]);
  });

  it('is asked once for an album whose tracks are enriched in parallel', async () => {
    const [foundAlbum, missingAlbum] = [addAlbum({ picture }), addAlbum()];
    const results = await Promise.all(
      [foundAlbum, foundAlbum, foundAlbum, missingAlbum, missingAlbum].map((album) =>
        server.covers.tryResolveCover(album),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(archive.requests).toHaveLength(3);
  });
});

describe('wrong responses of the archive', () => {
  const cases: [string, () => ArchiveBehaviour, string | RegExp, 'unusable' | 'failed'][] = [
    ['a PDF', () => ({ picture: Buffer.from('%PDF-1.4 not a picture') }), /not a JPEG, PNG/, 'unusable'],
    [
      'a page of HTML',
      () => ({ picture: Buffer.from('<!doctype html><html>Sign in to the hotel network</html>') }),
      /not a JPEG, PNG/,
      'unusable',
    ],
    ['an empty body', () => ({ picture: Buffer.alloc(0) }), /not a JPEG, PNG/, 'unusable'],
    ['200 MB', () => 'huge', /sent more than 10 MB/, 'unusable'],
    ['bytes without end', () => 'endless', /sent more than 10 MB/, 'unusable'],
    ['a PNG of 30,000 by 30,000 pixels', () => ({ picture: pngBomb() }), /too many pixels/, 'unusable'],
    [
      'a redirect to a private address',
      () => ({ redirect: 'http://127.0.0.1:9/secret' }),
      '127.0.0.1:9 is an address of this machine or inside a private network',
      'unusable',
    ],
    [
      'a redirect to the address of a cloud machine',
      () => ({ redirect: 'http://169.254.169.254/latest/meta-data' }),
      '169.254.169.254 is an address of this machine or inside a private network',
      'unusable',
    ],
    ['a redirect to a file', () => ({ redirect: 'file:///etc/passwd' }), /file: addresses are not fetched/, 'unusable'],
    ['redirects in a circle', () => 'loop', /more than 5 times/, 'unusable'],
    ['500', () => ({ status: 500 }), / answered 500$/, 'failed'],
    ['503', () => ({ status: 503, retryAfter: 0 }), / answered 503$/, 'failed'],
    ['403 of its storage', () => ({ status: 403, behind: true }), / answered 403$/, 'failed'],
    ['no response', () => 'silent', / took longer than 600.001 s$/, 'failed'],
    ['a picture that drips', () => 'dripping', / took longer than 600.001 s$/, 'failed'],
    ['a broken connection', () => 'cut', / closed the connection$/, 'failed'],
  ];
  it.each(cases)('%s is not used as a cover, and the log says why', async (_title, behaviour, reason, result) => {
    const album = addAlbum(behaviour());
    expect(await server.covers.tryResolveCover(album)).toBe(false);
    expect(server.rowOf(album)).toMatchObject({ key: null });
    expect(server.lookupOf(album)).toMatchObject({ result, tries: 1, reason: expect.stringMatching(reason) as string });
    expect(listWarningReasons()).toEqual([expect.stringMatching(reason)]);
    expect(server.listStoredCovers()).toEqual([]);
    expect(archive.requests).toHaveLength(
      result === 'failed' ? 2 : typeof behaviour() === 'string' && behaviour() === 'loop' ? 6 : 1,
    );
    expect((await server.call(`/albums/${album}/cover`)).status).toBe(404);
  });

  it('a short failure has no consequences', async () => {
    const album = addAlbum({ status: 502, behind: true, times: 1, after: picture });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(archive.requests).toHaveLength(2);
  });
});

describe('asking again', () => {
  it('for a cover that the archive does not have happens after weeks, later each time', async () => {
    const album = addAlbum();
    await resolveAll();
    for (const days of [7, 14, 28, 56, 56]) {
      expect(await resolveDueAlbums()).toEqual({ albums: 1, found: 0 });
      expect(await resolveDueAlbums()).toEqual({ albums: 0, found: 0 });
      server.advanceClock(days * DAY_MS - 1);
      expect([await server.covers.hasDueAlbums({ signal: neverAborted }), server.covers.hasDueRetry()]).toEqual([
        false,
        false,
      ]);
      server.advanceClock(1);
      expect([await server.covers.hasDueAlbums({ signal: neverAborted }), server.covers.hasDueRetry()]).toEqual([
        true,
        true,
      ]);
    }
    expect(server.lookupOf(album)).toMatchObject({ result: 'none', reason: null, tries: 5 });
    expect(server.lines.filter((line) => line.level === 'warn')).toEqual([]);
  });

  it('after a failure happens after hours', async () => {
    const album = addAlbum({ status: 500 });
    await server.covers.tryResolveCover(album);
    expect(await server.covers.hasDueAlbums({ signal: neverAborted })).toBe(false);
    server.advanceClock(6 * 3_600_000);
    archive.groups.set(mbidOf(albumCount), { picture });
    expect(await resolveDueAlbums()).toEqual({ albums: 1, found: 1 });
    expect(server.rowOf(album)?.origin).toBe('archive');
  });

  it('happens at once when the album has another release group', async () => {
    const album = addAlbum();
    await server.covers.tryResolveCover(album);
    expect(await server.covers.hasDueAlbums({ signal: neverAborted })).toBe(false);
    server.library.db.$client
      .prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?')
      .run(mbidOf(++albumCount), album);
    archive.groups.set(mbidOf(albumCount), { picture });
    expect(await resolveDueAlbums()).toEqual({ albums: 1, found: 1 });
  });

  it('finds albums that got a release group later, and albums that were added meanwhile', async () => {
    const identifiedAlbum = server.library.addAlbum();
    expect(await resolveAll()).toEqual({ albums: 1, found: 0 });
    expect(await server.covers.hasDueAlbums({ signal: neverAborted })).toBe(false);
    server.library.db.$client
      .prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?')
      .run(mbidOf(++albumCount), identifiedAlbum);
    archive.groups.set(mbidOf(albumCount), { picture });
    let addedAlbum: AlbumId | undefined;
    const counts = await server.covers.resolveDue({
      signal: neverAborted,
      progress: () => {
        if (addedAlbum !== undefined) return;
        addedAlbum = addAlbum({ picture });
        server.library.db.$client
          .prepare('INSERT INTO album_covers (album_id, checked_at) VALUES (?, 0)')
          .run(addedAlbum);
      },
    });
    expect(counts).toEqual({ albums: 2, found: 2 });
  });

  it('pauses when the archive is down, logs this once, and postpones the other albums', async () => {
    const albums = Array.from({ length: 12 }, () => addAlbum({ picture }));
    await resolveAll();
    await archive.close();
    await expect(resolveDueAlbums()).rejects.toThrow('The cover archive cannot be reached right now.');
    expect(albums.filter((album) => server.lookupOf(album)?.result === 'failed').length).toBeLessThanOrEqual(3);
    expect(server.lines.filter((line) => line.msg === 'cover archive paused after failures')).toHaveLength(1);
    expect(await server.covers.tryResolveCover(albums[11] as AlbumId)).toBe(false);
    expect(server.lookupOf(albums[11] as AlbumId)).toBeUndefined();
  });
});

describe('searching by hand', () => {
  const findCover = async (album: number) => {
    const response = await server.call(`/albums/${album}/cover/find`, { method: 'POST' });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  it('restores a removed cover', async () => {
    const album = addAlbum();
    await server.addAudio(album, makeMp3WithPicture(picture), 'mp3');
    await resolveAll();
    await server.call(`/albums/${album}/cover`, { method: 'DELETE' });
    await resolveAll();
    expect(server.rowOf(album)).toMatchObject({ key: null, origin: 'manual' });
    expect(await findCover(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect(server.rowOf(album)).toMatchObject({ origin: 'embedded' });
  });

  it('asks the archive even if it had no cover before, and says why there is none', async () => {
    const album = addAlbum({ picture: Buffer.from('%PDF-1.4') });
    await server.covers.tryResolveCover(album);
    expect(await findCover(album)).toEqual({
      status: 200,
      body: { found: false, reason: 'it is not a JPEG, PNG, WebP, GIF or AVIF picture' },
    });
    archive.groups.set(mbidOf(albumCount), { picture });
    expect(await findCover(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect((await findCover(999)).status).toBe(404);
  });

  it('keeps an existing cover', async () => {
    const album = addAlbum({ picture });
    await server.covers.setCover(album, otherPicture);
    expect(await findCover(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect([server.rowOf(album)?.origin, archive.requests.length]).toEqual(['manual', 0]);
  });
});

describe('choosing among the pictures of the archive', () => {
  const listCandidates = async (album: number): Promise<CoverCandidates> => {
    const response = await server.call(`/albums/${album}/cover/candidates?from=archive`);
    expect(response.status).toBe(200);
    return (await response.json()) as CoverCandidates;
  };

  it('lists them with the front first, shows a small size, and stores the large size', async () => {
    const album = addAlbum({ picture, otherPictures: ['Back'] });
    const { items, reason } = await listCandidates(album);
    expect([items.map(({ origin, name }) => [origin, name]), reason]).toEqual([
      [
        ['archive', 'Front'],
        ['archive', 'Back'],
      ],
      null,
    ]);
    const [, backCover] = items;
    expect((await server.call(`/albums/${album}/cover/candidates/${backCover?.id}`)).status).toBe(200);
    const chooseResponse = await server.call(`/albums/${album}/cover/choose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ candidate: backCover?.id }),
    });
    expect(chooseResponse.status).toBe(204);
    expect((await readBytes(await server.call(`/albums/${album}/cover`))).equals(picture)).toBe(true);
    expect(archive.requests.map(({ path }) => path)).toEqual([
      `/release-group/${mbidOf(albumCount)}`,
      `/release/${mbidOf(albumCount)}/1-500`,
      `/release/${mbidOf(albumCount)}/1-1200`,
    ]);
  });

  it('says why there are no pictures', async () => {
    expect(await listCandidates(addAlbum())).toEqual({ items: [], reason: null });
    expect(await listCandidates(server.library.addAlbum())).toEqual({
      items: [],
      reason: 'The album has not been identified.',
    });
    const failedCandidates = await listCandidates(addAlbum({ status: 500 }));
    expect(failedCandidates.reason).toMatch(/^The cover archive cannot be used right now: .* answered 500\.$/);
  });
});
