// Lists have ETags: a client that has a list gets 304 as long as nothing in it changed, and never keeps an outdated one.
import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionOut, UserOut } from '../../server/auth/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { openPhone } from '../support/phone.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';
import { openMigrated } from '../support/temp-database.ts';

let server: TestServer;
let base: string;
let editor: string;
let frames = 20;
let clockMs = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-unchanged-'));
  for (const [n, title] of ['Ash', 'Birch', 'Cedar', 'Elm'].entries()) writeSong(`first/${title}/${n}.mp3`, title);
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'first'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
    now: () => new Date(clockMs),
  });
  await scan();
  editor = await registerUser(server, 'editor');
  const { body } = await server.api<UserOut>('/users/me', { token: editor });
  await server.api(`/users/${body.id}`, { method: 'PATCH', body: { can_edit: true } });
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

function writeSong(path: string, title: string): void {
  mkdirSync(join(base, dirname(path)), { recursive: true });
  const tags = [
    id3Frame('TIT2', utf8Text(title)),
    id3Frame('TPE1', utf8Text('The Trees')),
    id3Frame('TALB', utf8Text('Wood')),
    id3Frame('TCON', utf8Text('Folk')),
    id3Frame('TCOM', utf8Text(`${title} Composer`)),
    id3Frame('TXXX', utf8Text('OCCASION\0Autumn')),
  ];
  writeFileSync(join(base, path), Buffer.concat([id3(tags), silentMp3(++frames)]));
}

const get = (path: string, etag?: string, token?: string): Promise<Answer> =>
  server.api(path, { headers: etag === undefined ? {} : { 'If-None-Match': etag }, ...(token && { token }) });
const post = (path: string, body?: unknown): Promise<Answer> => server.api(path, { method: 'POST', body });
const etagOf = ({ headers }: Answer): string => headers.get('etag') as string;
async function scan(): Promise<void> {
  clockMs += 60_000; // a scan tells by the time which files it did not see
  await post('/sources/local_folder/scan');
  await server.app.drain();
}
/** Makes the server check its music folders, which it otherwise does from time to time. */
const checkFolders = (): Promise<Answer> =>
  server.api('/music-folders/1', { method: 'PATCH', body: { name: 'Music' } });
async function trackCalled(title: string): Promise<TrackOut> {
  const { items } = (await get('/tracks?limit=200')).body as TrackPage;
  return items.find((track) => track.title === title) as TrackOut;
}

/** A path for each route with an ETag, and for some filters and orders. */
const LISTS = [
  '/tracks',
  '/tracks?sort=play_count&order=desc',
  '/tracks?sort=random&seed=7',
  '/tracks?availability=missing',
  '/albums',
  '/albums/1/tracks',
  '/artists',
  '/artists/1/albums',
  '/artists/1/tracks',
  '/genres',
  '/tags',
  '/tags/mood',
  '/people',
  '/likes',
  '/likes/state',
  '/history',
];

test('every route with an ETag is in the table of this test', () => {
  const routes = server.app.routes.filter(({ spec }) => spec.hasEtag).map(({ spec }) => spec.path);
  const listedRoutes = LISTS.map((path) =>
    path.replace(/\?.*/, '').replace(/\d+/, ':id').replace('/tags/mood', '/tags/:name'),
  );
  expect(routes.toSorted()).toEqual([...new Set(listedRoutes)].toSorted());
});

test.each(LISTS)('%s is 304 while nothing changes', async (path) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(etagOf(response)).toMatch(/^W\/"[\w-]{43}"$/);
  expect(response.headers.get('cache-control')).toBe('private, no-cache');
  const repeated = await get(path, etagOf(response));
  expect([repeated.status, repeated.text, etagOf(repeated)]).toEqual([304, '', etagOf(response)]);
  expect([repeated.headers.get('cache-control'), repeated.headers.get('vary')]).toEqual([
    'private, no-cache',
    'Accept-Encoding',
  ]);
  expect(repeated.headers.get('x-last-event-id')).not.toBeNull();
});

const edit = (title: string, metadata: object, token?: string): Promise<Answer> =>
  trackCalled(title).then(({ id }) =>
    server.api(`/tracks/${id}/metadata`, { method: 'PUT', body: metadata, ...(token && { token }) }),
  );

describe('no list is outdated after', () => {
  test.each<[change: string, make: () => unknown, changedList: string]>([
    ['a like', async () => post('/likes', { track_id: (await trackCalled('Ash')).id }), '/tracks'],
    ['a rating', async () => post('/likes', { item_type: 'album', item_id: 1, liked: true, rating: 4 }), '/albums'],
    ['a play', async () => post('/history', { track_id: (await trackCalled('Elm')).id, played_ms: 1_000 }), '/history'],
    ['an edit', () => edit('Birch', { title: 'Birch, renamed' }), '/tracks'],
    ["another account's edit", () => edit('Cedar', { genre: 'Jazz', mood: 'calm' }, editor), '/genres'],
    [
      'another sort name',
      () => server.api('/artists/1', { method: 'PATCH', body: { sort_name: 'Zelkova' } }),
      '/artists',
    ],
    ['a deletion', async () => server.api(`/tracks/${(await trackCalled('Ash')).id}`, { method: 'DELETE' }), '/tracks'],
    [
      'a restoration',
      async () => {
        const { items } = (await get('/trash')).body as { items: { id: number }[] };
        return post('/trash/restore', { track_ids: items.map(({ id }) => id) });
      },
      '/albums/1/tracks',
    ],
    [
      'a scan with a new file',
      () => {
        writeSong('first/Fir/5.mp3', 'Fir');
        return scan();
      },
      '/people',
    ],
    [
      'a scan without a file',
      () => {
        unlinkSync(join(base, 'first/Fir/5.mp3'));
        return scan();
      },
      '/tracks?availability=missing',
    ],
    [
      'the music folder went away',
      () => {
        renameSync(join(base, 'first'), join(base, 'away'));
        return checkFolders();
      },
      '/tracks',
    ],
    [
      'the music folder came back',
      () => {
        renameSync(join(base, 'away'), join(base, 'first'));
        return checkFolders();
      },
      '/tracks',
    ],
    ['another setting', () => server.api('/settings', { method: 'PATCH', body: { custom_tags: 'occasion' } }), '/tags'],
    [
      'a write of another process',
      () => {
        const db = openMigrated(join(server.dir, 'tonearm.db'));
        db.$client.exec("UPDATE tracks SET title = 'Yew' WHERE title = 'Elm'");
        db.$client.close();
      },
      '/tracks',
    ],
  ])('%s', async (_change, make, changedList) => {
    const earlierLists = await Promise.all(LISTS.map((path) => get(path)));
    await make();
    for (const [n, path] of LISTS.entries()) {
      const earlierList = earlierLists[n] as Answer;
      const [conditional, current] = [await get(path, etagOf(earlierList)), await get(path)];
      if (path === changedList) expect(current.text, `${path} shows the change`).not.toBe(earlierList.text);
      if (conditional.status === 304) expect(current.text, path).toBe(earlierList.text);
      else expect([conditional.status, conditional.text], path).toEqual([current.status, current.text]);
    }
  });
});

describe('an ETag', () => {
  test('is of one account, with its rights', async () => {
    const etag = etagOf(await get('/tracks'));
    const editorsList = await get('/tracks', etag, editor);
    expect(editorsList.status).toBe(200);
    expect((await get('/tracks', etagOf(editorsList), editor)).status).toBe(304);
  });

  test('stays the same when a session is used, or a queue is saved', async () => {
    const etag = etagOf(await get('/tracks'));
    const usedAt = async (): Promise<string> =>
      ((await get('/users/me/sessions')).body as SessionOut[])[0]?.last_used_at as string;
    const previousUse = await usedAt();
    clockMs += 5 * 60_000;
    expect((await get('/tracks', etag)).status).toBe(304);
    expect(await usedAt()).not.toBe(previousUse);
    const { id } = await trackCalled('Cedar');
    const queue = { track_ids: [id], current_index: 0, position_ms: 1_000, client: 'test' };
    expect((await server.api('/queue', { method: 'PUT', body: queue })).status).toBe(200);
    expect((await get('/tracks', etag)).status).toBe(304);
    const phone = await openPhone(server);
    const etagWithPhone = etagOf(await get('/tracks'));
    expect((await phone.get('ping')).body.status).toBe('ok');
    expect((await get('/tracks', etagWithPhone)).status).toBe(304);
  });

  test('is the same for the compressed and the plain list, and weak', async () => {
    const headers = (encoding: string) => ({ headers: { 'Accept-Encoding': encoding } });
    const [plain, compressed] = [
      await server.api('/tracks', headers('identity')),
      await server.api('/tracks', headers('gzip')),
    ];
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.text).toBe(plain.text);
    expect(etagOf(compressed)).toBe(etagOf(plain));
  });

  test('is one of several that a client may send, and HEAD is answered alike', async () => {
    const etag = etagOf(await get('/tracks'));
    expect((await get('/tracks', `"other", ${etag}`)).status).toBe(304);
    expect((await get('/tracks', '*')).status).toBe(200);
    expect((await server.api('/tracks', { method: 'HEAD', headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  test('is not sent with random lists, errors, or lists that change with time', async () => {
    for (const path of ['/tracks?sort=random', '/tracks?limit=0', '/albums/999/tracks', '/playlists', '/trash'])
      expect((await get(path)).headers.get('etag'), path).toBeNull();
  });

  test('is another one after a restart', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tonearm-restart-'));
    const etags: string[] = [];
    for (let start = 0; start < 2; start++) {
      const restarted = await startServer({ dir });
      etags.push(etagOf(await restarted.api('/tracks')));
      await restarted.close();
    }
    rmSync(dir, { recursive: true, force: true });
    expect(etags[0]).not.toBe(etags[1]);
  });
});
