// yt-dlp as the catalogue: the real program with a local site, and programs that imitate it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceOut } from '../../server/sources/wire.ts';
import { startMediaSite, type MediaSite } from '../fakes/media-site.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { holdLimit } from '../support/held-limit.ts';
import { HASTE, makeAudio, remoteUser } from '../support/remote.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

const ytDlp = toolOrWarn('yt-dlp', 'searching and fetching with the real extractor is', '--version');
let dir: string;
let site: MediaSite;
let audio: Buffer[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-ext-'));
  audio = makeAudio(join(dir, 'audio'), 8);
  site = await startMediaSite();
  for (const [i, title] of ['Harbour Lights', 'Members Only', 'Gone Since', 'Slow Boat'].entries())
    site.tracks.set(String(i), { title, artist: 'The Quays', seconds: 214, bytes: audio[i] as Buffer });
});
afterAll(async () => {
  await site.close();
  rmSync(dir, { recursive: true, force: true });
});

const serverWith = (env: Record<string, string>): Promise<TestServer> =>
  startServer({
    env: {
      STREAMSRC_ENABLED: 'true',
      STREAMSRC_PROVIDER: 'ext',
      STREAMSRC_SEARCH_TEMPLATE: `${site.url}/search?q={query}`,
      ...env,
    },
    cataloguePace: HASTE,
  });

const remoteOf = async (server: TestServer): Promise<SourceOut | undefined> =>
  (await server.api<SourceOut[]>('/sources')).body.find(({ name }) => name === 'streamsrc');

describe.runIf(ytDlp !== undefined)('yt-dlp', () => {
  let server: TestServer;
  let user: ReturnType<typeof remoteUser>;
  let cookies: string;
  beforeAll(async () => {
    cookies = join(dir, 'cookies.txt');
    writeFileSync(
      cookies,
      '# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tsession\tsecret-cookie\n',
      { mode: 0o600 },
    );
    server = await serverWith({ STREAMSRC_COOKIES_FILE: cookies });
    user = remoteUser(server);
  });
  afterAll(() => server.close());

  it('searches, saves, fetches and streams the bytes of the site, with a copy of the cookies', async () => {
    const previousCookies = readFileSync(cookies, 'utf8');
    expect(await remoteOf(server)).toMatchObject({
      enabled: true,
      detail: expect.stringMatching(/^yt-dlp \d{4}\.\d\d\.\d\d/),
    });
    const hit = await user.firstHit('harbour lights');
    expect(hit).toMatchObject({
      source_id: expect.stringMatching(/^ext:Generic:[0-9a-f]{32}$/),
      title: 'Harbour Lights',
      in_library: false,
    });
    expect(site.searches).toEqual(['harbour lights']);
    const { body: track } = await user.save(hit);
    const { body: download } = await user.materialize(track.id);
    await server.app.drain();
    expect(await user.download(download.id)).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      error: null,
      bytes_done: audio[0]?.length,
    });
    expect((await user.bytesOf(track.id)).equals(audio[0] as Buffer)).toBe(true);
    expect(new Set(site.cookies)).toEqual(new Set(['session=secret-cookie']));
    expect([readFileSync(cookies, 'utf8'), statSync(cookies).mode & 0o777]).toEqual([previousCookies, 0o600]);
    expect(readdirSync(join(server.dir, 'tmp')).filter((name) => name.startsWith('cookies-'))).toEqual([]);
    expect(readdirSync(join(server.dir, 'downloads'))).toEqual([]);
  });

  it('recognizes its messages: a forbidden page and a missing one fail the download at once', async () => {
    const fails = async (query: string, id: string, status: number): Promise<unknown> => {
      const { body: track } = await user.save(await user.firstHit(query));
      (site.tracks.get(id) as { status?: number }).status = status;
      const { body: download } = await user.materialize(track.id);
      await server.app.drain();
      expect((await user.track(track.id)).availability).toBe('remote');
      return user.download(download.id);
    };
    expect(await fails('members', '1', 403)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringMatching(/^The site denies access; .*HTTP Error 403/),
    });
    expect(await fails('gone', '2', 404)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringMatching(/^The site no longer has it \(.*HTTP Error 404/),
    });
  });

  it('is ended with its child processes when the download is cancelled, which can be retried', async () => {
    const { body: track } = await user.save(await user.firstHit('slow boat'));
    site.ranges.length = 0;
    site.stalls.push(0, 6_000); // yt-dlp first requests the start of the file and closes the connection
    const { body: download } = await user.materialize(track.id);
    await expect.poll(() => site.ranges.length).toBe(2);
    const cancelResponse = await server.api<{ status: string }>(`/downloads/${download.id}`, { method: 'DELETE' });
    expect(cancelResponse.body.status).toBe('cancelled');
    await server.app.drain(); // drain() returns only when the program has ended
    expect((await user.track(track.id)).availability).toBe('remote');
    await server.api(`/downloads/${download.id}/retry`, { method: 'POST' });
    await server.app.drain();
    expect((await user.bytesOf(track.id)).equals(audio[3] as Buffer)).toBe(true);
  });
});

it.runIf(ytDlp !== undefined)('yt-dlp continues where it was after a restart of the server', async () => {
  const bytes = silentMp3(2_000);
  site.tracks.set('long', { title: 'Long Crossing', artist: 'The Quays', seconds: 52, bytes });
  const start = (): Promise<TestServer> =>
    startServer({
      dir: join(dir, 'kept'),
      cataloguePace: HASTE,
      env: {
        STREAMSRC_ENABLED: 'true',
        STREAMSRC_PROVIDER: 'ext',
        STREAMSRC_SEARCH_TEMPLATE: `${site.url}/search?q={query}`,
      },
    });
  let server = await start();
  let user = remoteUser(server);
  const { body: track } = await user.save(await user.firstHit('long crossing'));
  site.ranges.length = 0;
  site.stalls.push(0, 600_000); // yt-dlp first requests the start of the file and closes the connection
  const { body: download } = await user.materialize(track.id);
  await expect.poll(async () => (await user.download(download.id)).bytes_done).toBeGreaterThan(100_000);
  await server.close();

  server = await start();
  user = remoteUser(server);
  await server.app.drain();
  expect(await user.download(download.id)).toMatchObject({ status: 'succeeded', attempts: 1 });
  expect(Number(/^bytes=(\d+)-$/.exec(site.ranges.at(-1) ?? '')?.[1])).toBeGreaterThan(100_000);
  expect((await user.bytesOf(track.id)).equals(bytes)).toBe(true);
  await server.close();
});

describe('an external program that', () => {
  /** Writes a program that prints a version like yt-dlp, and then runs the given code. */
  function program(name: string, script: string): string {
    const path = join(dir, 'programs', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\ncase "$1" in --version) echo 2024.01.01; exit 0;; esac\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const SEARCH_REPLY = `case "$*" in *flat-playlist*) echo '{"_type":"playlist","entries":[null,{"id":"abc","ie_key":"Site","title":"One","url":"http://1.1.1.1/abc","channel":"Someone"}]}'; exit 0;; esac`;

  async function withProgram(
    command: string,
    story: (server: TestServer, user: ReturnType<typeof remoteUser>) => Promise<void>,
  ): Promise<void> {
    const server = await serverWith({
      STREAMSRC_COMMAND: command,
      STREAMSRC_SEARCH_TEMPLATE: 'find{limit}:{query}',
    });
    try {
      await story(server, remoteUser(server));
    } finally {
      await server.close();
    }
  }

  it('does not exist is reported with its setting', async () => {
    await withProgram(join(dir, 'nowhere', 'yt-dlp'), async (server) => {
      const sentence = 'STREAMSRC_COMMAND does not point to a working yt-dlp: no such file.';
      expect(await remoteOf(server)).toMatchObject({ enabled: true, reason: sentence });
      const { status, body } = await server.api<{ detail: string }>('/sources/streamsrc/search?q=x');
      expect([status, body.detail]).toEqual([409, sentence]);
    });
  });

  it('succeeds without a file fails the download at once', async () => {
    await withProgram(program('empty', `${SEARCH_REPLY}\nexit 0`), async (server, user) => {
      const hit = await user.firstHit('one');
      expect(hit).toMatchObject({ source_id: 'ext:Site:abc', title: 'One', artist_name: 'Someone' });
      const { body: track } = await user.save(hit);
      const { body: download } = await user.materialize(track.id);
      await server.app.drain();
      expect(await user.download(download.id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: expect.stringMatching(/^Nothing was saved: the file is larger than \d+ bytes/),
      });
    });
  });

  it('finds a page inside the own network is not sent there', async () => {
    const pagesFile = join(dir, 'pages.txt');
    const internalHit = SEARCH_REPLY.replace('http://1.1.1.1/abc', 'http://localhost:1/router');
    await withProgram(
      program('inward', `echo "ARGS $*" >> '${pagesFile}'\n${internalHit}\nexit 0`),
      async (server, user) => {
        const { body: track } = await user.save(await user.firstHit('one'));
        const { body: download } = await user.materialize(track.id);
        await server.app.drain();
        expect(await user.download(download.id)).toMatchObject({
          status: 'failed',
          error: expect.stringContaining('localhost:1 is an address of this machine or inside a private network'),
        });
        expect(readFileSync(pagesFile, 'utf8')).not.toContain('localhost');
      },
    );
  });

  it('gets only the environment that it needs, and arguments after a double dash', async () => {
    const seenFile = join(dir, 'seen.txt');
    await withProgram(
      program('nosy', `{ env; echo "ARGS $*"; } > '${seenFile}'\necho '{"entries":[]}'`),
      async (server, user) => {
        expect(await user.searchFor('--exec rm')).toEqual([]);
        const text = readFileSync(seenFile, 'utf8');
        expect(text).toMatch(/ARGS --ignore-config .* -- find20:--exec rm$/m);
        expect(text).not.toMatch(/^(STREAMSRC|VITEST|NODE_|TEST_LOG)/m);
      },
    );
  });

  it('prints something else, fails, or never ends is reported', async () => {
    const story =
      (sentence: RegExp) =>
      async (server: TestServer): Promise<void> => {
        const { status, body } = await server.api<{ detail: string }>('/sources/streamsrc/search?q=x');
        expect([status, body.detail]).toEqual([503, expect.stringMatching(sentence)]);
      };
    await withProgram(program('garbage', 'echo hello'), story(/^The response of the extractor is invalid\.$/));
    await withProgram(
      program(
        'error',
        'echo "ERROR: [site] abc: Something broke at https://site.test/secret; sorry" >&2; echo null; exit 1',
      ),
      story(/^The extractor failed \(\[site\] abc: Something broke at … sorry\)\.$/),
    );
    const beginMarker = join(dir, 'begun');
    const limit = holdLimit(HASTE.searchMs);
    const runOut = (async () => {
      await expect.poll(() => existsSync(beginMarker)).toBe(true);
      await limit.runOut();
    })();
    await withProgram(
      program('endless', `touch '${beginMarker}'; sleep 600 & wait`),
      story(/(No response within|took longer than)/),
    );
    await runOut;
    limit.release();
  });

  it('has a missing cookies file is not run', async () => {
    const server = await serverWith({
      STREAMSRC_COMMAND: program('fine', SEARCH_REPLY),
      STREAMSRC_COOKIES_FILE: join(dir, 'no-cookies.txt'),
    });
    try {
      const { status, body } = await server.api<{ detail: string }>('/sources/streamsrc/search?q=x');
      expect([status, body.detail]).toEqual([409, 'The cookies file (STREAMSRC_COOKIES_FILE) cannot be read.']);
      expect((await remoteOf(server))?.reason).toBe('The cookies file (STREAMSRC_COOKIES_FILE) does not exist.');
      expect(readdirSync(dir)).not.toContain('no-cookies.txt');
    } finally {
      await server.close();
    }
  });
});
