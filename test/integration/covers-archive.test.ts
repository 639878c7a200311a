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
import { bytesOf, mp3With, noSignal, openCoverServer, type CoverServer } from './cover-server.ts';

const DAY_MS = 86_400_000;

let picture: Buffer;
let other: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 500, height: 500, channels: 3, background: '#804020' } })
    .jpeg()
    .toBuffer();
  other = await sharp({ create: { width: 100, height: 100, channels: 3, background: '#2040f0' } })
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
let count = 0;

/** An album whose release group behaves in this way in the archive. */
function addAlbum(behaviour?: ArchiveBehaviour): AlbumId {
  const releaseGroupMbid = mbidOf(++count);
  if (behaviour) archive.groups.set(releaseGroupMbid, behaviour);
  return server.library.addAlbum({ releaseGroupMbid });
}

const resolveAll = () => server.covers.resolvePending({ signal: noSignal, progress: () => {} });
const askAll = () => server.covers.resolveDue({ signal: noSignal, progress: () => {} });
const reasons = () => server.lines.filter((line) => line.level === 'warn').map((line) => line['reason']);

describe('the cover archive', () => {
  it('is asked by release group when there is no local image, through its redirects, with a User-Agent', async () => {
    const album = addAlbum({ picture });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(server.rowOf(album)).toMatchObject({ key: `covers/${album}.jpg`, origin: 'archive' });
    expect((await bytesOf(await server.call(`/albums/${album}/cover`))).equals(picture)).toBe(true);
    expect(archive.asked.map(({ path, userAgent }) => ({ path, userAgent }))).toEqual([
      { path: `/release-group/${mbidOf(count)}/front-1200`, userAgent: 'Tonearm/0.0.0 ( someone@example.org )' },
    ]);
    expect(server.changed).toEqual([album]);
  });

  it('is asked for the smaller image when it has no large one', async () => {
    const album = addAlbum({ picture, only500: true });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(archive.asked.map(({ path }) => path.slice(-10))).toEqual(['front-1200', '/front-500']);
  });

  it('is not asked for an album with a local image, with a cover, or without a valid release group', async () => {
    const embedded = addAlbum({ picture });
    await server.addAudio(embedded, mp3With(other), 'mp3');
    const uploaded = addAlbum({ picture });
    await server.covers.setCover(uploaded, other);
    const removed = addAlbum({ picture });
    await server.covers.removeCover(removed);
    const none = [server.library.addAlbum(), server.library.addAlbum({ releaseGroupMbid: '../../x' })];
    for (const album of [embedded, uploaded, removed, ...none]) await server.covers.tryResolveCover(album);
    await askAll();
    expect(archive.asked).toEqual([]);
    expect(server.rowOf(embedded)?.origin).toBe('embedded');
    expect(server.rowOf(removed)).toMatchObject({ key: null, origin: 'manual' });
  });

  it('is not asked when it is switched off', async () => {
    const off = await openCoverServer();
    const album = off.library.addAlbum({ releaseGroupMbid: mbidOf(++count) });
    expect(await off.covers.tryResolveCover(album)).toBe(false);
    await off.covers.resolvePending({ signal: noSignal, progress: () => {} });
    expect(await off.covers.hasDueAlbums({ signal: noSignal })).toBe(false);
    expect(off.lookupOf(album)).toBeUndefined();
    await off.close();
  });

  it('never replaces a cover that a user uploads, or removes, during the request', async () => {
    archive.onSilence = () => undefined;
    const [uploaded, removed] = [addAlbum('dripping'), addAlbum('dripping')];
    const asking = [uploaded, removed].map((album) => server.covers.tryResolveCover(album));
    await expect.poll(() => archive.asked.length).toBe(2);
    await server.covers.setCover(uploaded, other);
    await server.covers.removeCover(removed);
    for (const [mbid] of archive.groups) archive.groups.set(mbid, { picture });
    await limit.runOut();
    expect(await Promise.all(asking)).toEqual([false, false]); // the second try of each is answered with a picture
    expect(archive.asked).toHaveLength(4);
    expect(server.rowOf(uploaded)).toMatchObject({ key: `covers/${uploaded}.png`, origin: 'manual' });
    expect(server.rowOf(removed)).toMatchObject({ key: null, origin: 'manual' });
    expect(server.stored()).toEqual([`${uploaded}.png`]);
  });

  it('is asked once for an album whose tracks are enriched in parallel', async () => {
    const [found, none] = [addAlbum({ picture }), addAlbum()];
    const results = await Promise.all(
      [found, found, found, none, none].map((album) => server.covers.tryResolveCover(album)),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(archive.asked).toHaveLength(3);
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
    ['nothing', () => ({ picture: Buffer.alloc(0) }), /not a JPEG, PNG/, 'unusable'],
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
    ['no answer', () => 'silent', / took longer than 600.001 s$/, 'failed'],
    ['a picture that drips', () => 'dripping', / took longer than 600.001 s$/, 'failed'],
    ['a broken connection', () => 'cut', / closed the connection$/, 'failed'],
  ];
  it.each(cases)('%s is not a cover, and the log says why', async (_what, behaviour, reason, result) => {
    const album = addAlbum(behaviour());
    expect(await server.covers.tryResolveCover(album)).toBe(false);
    expect(server.rowOf(album)).toMatchObject({ key: null });
    expect(server.lookupOf(album)).toMatchObject({ result, tries: 1, reason: expect.stringMatching(reason) as string });
    expect(reasons()).toEqual([expect.stringMatching(reason)]);
    expect(server.stored()).toEqual([]);
    expect(archive.asked).toHaveLength(
      result === 'failed' ? 2 : typeof behaviour() === 'string' && behaviour() === 'loop' ? 6 : 1,
    );
    expect((await server.call(`/albums/${album}/cover`)).status).toBe(404);
  });

  it('a short failure has no consequences', async () => {
    const album = addAlbum({ status: 502, behind: true, times: 1, after: picture });
    expect(await server.covers.tryResolveCover(album)).toBe(true);
    expect(archive.asked).toHaveLength(2);
  });
});

describe('asking again', () => {
  it('for what it does not have happens after weeks, later each time', async () => {
    const album = addAlbum();
    await resolveAll();
    for (const days of [7, 14, 28, 56, 56]) {
      expect(await askAll()).toEqual({ albums: 1, found: 0 });
      expect(await askAll()).toEqual({ albums: 0, found: 0 });
      server.later(days * DAY_MS - 1);
      expect([await server.covers.hasDueAlbums({ signal: noSignal }), server.covers.hasDueRetry()]).toEqual([
        false,
        false,
      ]);
      server.later(1);
      expect([await server.covers.hasDueAlbums({ signal: noSignal }), server.covers.hasDueRetry()]).toEqual([
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
    expect(await server.covers.hasDueAlbums({ signal: noSignal })).toBe(false);
    server.later(6 * 3_600_000);
    archive.groups.set(mbidOf(count), { picture });
    expect(await askAll()).toEqual({ albums: 1, found: 1 });
    expect(server.rowOf(album)?.origin).toBe('archive');
  });

  it('happens at once when the album has another release group', async () => {
    const album = addAlbum();
    await server.covers.tryResolveCover(album);
    expect(await server.covers.hasDueAlbums({ signal: noSignal })).toBe(false);
    server.library.db.$client
      .prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?')
      .run(mbidOf(++count), album);
    archive.groups.set(mbidOf(count), { picture });
    expect(await askAll()).toEqual({ albums: 1, found: 1 });
  });

  it('finds the albums that got a release group later, and those that came meanwhile', async () => {
    const late = server.library.addAlbum();
    expect(await resolveAll()).toEqual({ albums: 1, found: 0 });
    expect(await server.covers.hasDueAlbums({ signal: noSignal })).toBe(false);
    server.library.db.$client
      .prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?')
      .run(mbidOf(++count), late);
    archive.groups.set(mbidOf(count), { picture });
    let meanwhile: AlbumId | undefined;
    const result = await server.covers.resolveDue({
      signal: noSignal,
      progress: () => {
        if (meanwhile !== undefined) return;
        meanwhile = addAlbum({ picture });
        server.library.db.$client
          .prepare('INSERT INTO album_covers (album_id, checked_at) VALUES (?, 0)')
          .run(meanwhile);
      },
    });
    expect(result).toEqual({ albums: 2, found: 2 });
  });

  it('pauses when it is down, logs that once, and postpones the rest', async () => {
    const albums = Array.from({ length: 12 }, () => addAlbum({ picture }));
    await resolveAll();
    await archive.close();
    await expect(askAll()).rejects.toThrow('The cover archive cannot be reached right now.');
    expect(albums.filter((album) => server.lookupOf(album)?.result === 'failed').length).toBeLessThanOrEqual(3);
    expect(server.lines.filter((line) => line.msg === 'cover archive paused after failures')).toHaveLength(1);
    expect(await server.covers.tryResolveCover(albums[11] as AlbumId)).toBe(false);
    expect(server.lookupOf(albums[11] as AlbumId)).toBeUndefined();
  });
});

describe('searching by hand', () => {
  const lookAgain = async (album: number) => {
    const response = await server.call(`/albums/${album}/cover/find`, { method: 'POST' });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  it('restores what was removed', async () => {
    const album = addAlbum();
    await server.addAudio(album, mp3With(picture), 'mp3');
    await resolveAll();
    await server.call(`/albums/${album}/cover`, { method: 'DELETE' });
    await resolveAll();
    expect(server.rowOf(album)).toMatchObject({ key: null, origin: 'manual' });
    expect(await lookAgain(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect(server.rowOf(album)).toMatchObject({ origin: 'embedded' });
  });

  it('asks the archive even if it had none before, and says why there is none', async () => {
    const album = addAlbum({ picture: Buffer.from('%PDF-1.4') });
    await server.covers.tryResolveCover(album);
    expect(await lookAgain(album)).toEqual({
      status: 200,
      body: { found: false, reason: 'it is not a JPEG, PNG, WebP, GIF or AVIF picture' },
    });
    archive.groups.set(mbidOf(count), { picture });
    expect(await lookAgain(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect((await lookAgain(999)).status).toBe(404);
  });

  it('keeps an existing cover', async () => {
    const album = addAlbum({ picture });
    await server.covers.setCover(album, other);
    expect(await lookAgain(album)).toEqual({ status: 200, body: { found: true, reason: null } });
    expect([server.rowOf(album)?.origin, archive.asked.length]).toEqual(['manual', 0]);
  });
});

describe('choosing among the pictures of the archive', () => {
  const list = async (album: number): Promise<CoverCandidates> => {
    const response = await server.call(`/albums/${album}/cover/candidates?from=archive`);
    expect(response.status).toBe(200);
    return (await response.json()) as CoverCandidates;
  };

  it('lists them with the front first, shows a small one, and stores the large one', async () => {
    const album = addAlbum({ picture, others: ['Back'] });
    const { items, reason } = await list(album);
    expect([items.map(({ origin, name }) => [origin, name]), reason]).toEqual([
      [
        ['archive', 'Front'],
        ['archive', 'Back'],
      ],
      null,
    ]);
    const [, back] = items;
    expect((await server.call(`/albums/${album}/cover/candidates/${back?.id}`)).status).toBe(200);
    const chosen = await server.call(`/albums/${album}/cover/choose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ candidate: back?.id }),
    });
    expect(chosen.status).toBe(204);
    expect((await bytesOf(await server.call(`/albums/${album}/cover`))).equals(picture)).toBe(true);
    expect(archive.asked.map(({ path }) => path)).toEqual([
      `/release-group/${mbidOf(count)}`,
      `/release/${mbidOf(count)}/1-500`,
      `/release/${mbidOf(count)}/1-1200`,
    ]);
  });

  it('says why there are none', async () => {
    expect(await list(addAlbum())).toEqual({ items: [], reason: null });
    expect(await list(server.library.addAlbum())).toEqual({
      items: [],
      reason: 'The album has not been identified.',
    });
    const broken = await list(addAlbum({ status: 500 }));
    expect(broken.reason).toMatch(/^The cover archive cannot be used right now: .* answered 500\.$/);
  });
});
