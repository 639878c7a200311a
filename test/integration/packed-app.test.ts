// Checks what is packed, and that it works without the sources: a real electron-builder, with a replacement for
// Electron's binary.
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { listPackage, statFile } from '@electron/asar';
import Database from 'better-sqlite3';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumOut, TrackOut } from '../../server/library/wire.ts';
import { productPaths } from '../../server/paths.ts';
import { makeLibrary, pathOf, type ExpectedFile, type Manifest } from '../support/library.ts';
import { packApp, type PackedApp } from '../support/packed-app.ts';
import { spawnServer, type ServerProcess } from '../support/process.ts';
import { root } from '../support/product.ts';
import { ADMIN } from '../support/server.ts';
import { sayLeftOut } from '../support/left-out.ts';

let dir: string;
let packed: PackedApp;
/** Paths of the files and folders in the archive, without the leading slash. */
let names: string[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-packed-'));
  packed = await packApp(dir);
  names = listPackage(packed.archive, { isPack: false }).map((name) => name.replaceAll('\\', '/').slice(1));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the archive contains the bundles, the migrations and the resources', () => {
  const { workers } = productPaths(root, true);
  const expectedFiles = [
    'package.json',
    'dist/main/index.js',
    'dist/main/preload.cjs',
    'dist/server/main.js',
    'dist/server/chromaprint.wasm',
    'dist/renderer/index.html',
    ...Object.values(workers).map((url) => `dist/server/${basename(url.pathname)}`),
    ...readdirSync(join(root, 'migrations'))
      .filter((name) => name.endsWith('.sql'))
      .map((name) => `migrations/${name}`),
    'resources/NOTICES.md',
    'resources/placeholder-cover.jpg',
    'resources/tray/tray.png',
    'resources/tray/trayTemplate@2x.png',
  ];
  expect(names).toEqual(expect.arrayContaining(expectedFiles));
});

test('the archive contains no tests, sources, source maps, packaging tools or programs such as Node', () => {
  expect(new Set(names.map((name) => name.split('/')[0]))).toEqual(
    new Set(['dist', 'migrations', 'resources', 'node_modules', 'package.json']),
  );
  const appFiles = names.filter((name) => !name.startsWith('node_modules/'));
  expect(appFiles.filter((name) => /\.(ts|tsx|map|built)$|(^|\/)(tests?|fakes|packaging)(\/|$)/.test(name))).toEqual(
    [],
  );
  expect(
    names.filter((name) => /node_modules\/node-|\/(test|tests|src)\/|\.(map|ts|c|cc|cpp|h|exe)$/.test(name)),
  ).toEqual([]);
  const programs = filesIn(packed.unpacked).filter(
    (path) =>
      isBinary(path) && !['.node', '.so', '.dylib', '.dll'].includes(extname(path)) && !/\.so\.[\d.]+$/.test(path),
  );
  expect(programs).toEqual([]);
});

/** Each file of the archive, packed or beside it, matches one of these patterns, and each pattern matches a file. */
const PACKED_FILE_PATTERNS = [
  /^package\.json$/,
  /^dist\/main\/(index\.js|preload\.cjs|chunks\/[\w.-]+\.js)$/,
  /^dist\/server\/([\w-]+\.js|chunks\/[\w.-]+\.js|chromaprint\.wasm)$/,
  /^dist\/renderer\/[\w-]+\.(html|js|svg|png|flac|webmanifest)(\.br|\.gz)?$/,
  /^dist\/renderer\/assets\/[\w.-]+\.(js|css|woff2|svg)(\.br|\.gz)?$/,
  /^migrations\/\d{4}_\w+\.sql$/,
  /^resources\/(NOTICES\.md|common-passwords\.txt|icon\.svg|placeholder-cover\.jpg)$/,
  /^resources\/tray\/\w+(@\dx)?\.png$/,
  /^node_modules\/@img\/[\w-]+\/(package\.json|versions\.json|LICENSE|(lib|dist)\/[\w./-]+|index\.[cm]?js|color\.\w+)$/,
  /^node_modules\/(sharp|detect-libc|semver|better-sqlite3|@node-rs\/[\w-]+|@napi-rs\/[\w-]+)\/[\w./-]+$/,
];
const MOST_BYTES = 45_000_000;

test('nothing is packed that is not named here, and it is 45 MB at most, not compressed', () => {
  const files = names.filter((name) => 'size' in statFile(packed.archive, name));
  expect(
    files.filter(
      (name) => !name.startsWith('node_modules/keytar/') && !PACKED_FILE_PATTERNS.some((pattern) => pattern.test(name)),
    ),
  ).toEqual([]);
  expect(PACKED_FILE_PATTERNS.filter((pattern) => !files.some((name) => pattern.test(name)))).toEqual([]);
  const bytes = files.reduce((sum, name) => sum + (statFile(packed.archive, name) as { size: number }).size, 0);
  expect(bytes).toBeGreaterThan(20_000_000); // proves that the files were counted
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test('of each native package only the build for one system is packed', () => {
  const natives = filesIn(packed.unpacked)
    .filter((path) => path.endsWith('.node'))
    .map((path) => basename(path));
  expect(natives).toContain(`linux-${process.arch}.node`); // better-sqlite3 contains binaries for eight systems
  expect(natives.filter((name) => name !== 'keytar.node').length).toBe(4); // better-sqlite3, sharp, argon2 and keyring
});

test('the binary is fused: it is no Node, takes no options or debugger, and runs nothing but its archive', () => {
  expect(packed.fuses()).toEqual({
    runAsNode: false,
    cookieEncryption: true,
    nodeOptions: false,
    nodeInspect: false,
    asarIntegrity: true,
    onlyFromAsar: true,
    browserSnapshot: false,
    fileProtocolPrivileges: false,
    wasmTrapHandlers: true,
  });
});

test('updates are searched in the repository that publishes the releases', () => {
  expect(readFileSync(join(packed.dir, 'resources', 'app-update.yml'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['provider: github', 'owner: somebody', 'repo: somewhere']),
  );
});

// The installed native packages are for the system that the tests run on. A workflow tests the real app on all three
// systems.
if (process.platform !== 'linux') sayLeftOut('Not Linux: that the server runs from the packed tree is NOT tested.');
else
  describe('the server, run by plain Node from the unpacked files', () => {
    let server: ServerProcess;
    let token = '';
    let music: Manifest;
    const data = (): string => join(dir, 'data');

    beforeAll(async () => {
      music = makeLibrary(
        { tracks: 3, formats: ['flac', 'ogg', 'opus'], even: true, art: 'embedded', seconds: '12', seed: 'packed' },
        join(dir, 'music'),
      );
      mkdirSync(join(dir, 'nothing'));
      // Without a key no internet service is used, but everything is fingerprinted; with an empty PATH only the
      // built-in decoders are found.
      const env = {
        PATH: join(dir, 'nothing'),
        FPID_ENABLED: 'true',
        ADMIN_USERNAME: ADMIN.username,
        ADMIN_PASSWORD: ADMIN.password,
      };
      server = await spawnServer(
        ['--data-dir', data(), '--port', '0', '--import', music.dir],
        env,
        join(packed.unpacked, 'dist', 'server', 'main.js'),
      );
      token = (await callApi<TokenResponse>('/auth/login', ADMIN)).access_token;
    });
    afterAll(async () => {
      await server?.kill('SIGTERM');
    });

    const callApi = async <T>(path: string, body?: unknown): Promise<T> => {
      const answer = await fetch(`${server.url}/api/v1${path}`, {
        headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    const isIdle = async (): Promise<boolean> => {
      for (const status of ['queued', 'running', 'waiting'])
        if ((await callApi<{ items: JobOut[] }>(`/jobs?status=${status}`)).items.length > 0) return false;
      return true;
    };

    test('serves the web interface with all its files', async () => {
      const page = await (await fetch(server.url, { headers: { Accept: 'text/html' } })).text();
      const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string);
      expect(assets.some((path) => path.endsWith('.js')) && assets.some((path) => path.endsWith('.css'))).toBe(true);
      for (const path of assets) expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
    });

    test('scans, accepts an upload, fingerprints every track without other tools, and resizes covers', async () => {
      await expect.poll(async () => (await callApi<{ total: number }>('/tracks')).total).toBe(music.files.length);
      const otherLibrary = makeLibrary(
        { tracks: 1, formats: ['mp3'], art: 'none', seconds: '12', seed: 'upload' },
        join(dir, 'upload'),
      );
      const [file] = otherLibrary.files as [ExpectedFile];
      const form = new FormData();
      form.append('files', new Blob([readFileSync(pathOf(otherLibrary, file))]), 'upload.mp3');
      const answer = await fetch(`${server.url}/api/v1/tracks/upload`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: form,
      });
      expect(answer.status).toBe(201);
      expect(((await answer.json()) as UploadOut).items[0]?.title).toBe(file.tags?.title);

      await expect.poll(isIdle).toBe(true);
      const tracks = await callApi<{ items: TrackOut[]; total: number }>('/tracks');
      expect(tracks.total).toBe(music.files.length + 1);
      const db = new Database(join(data(), 'tonearm.db'), { readonly: true });
      expect(db.prepare('SELECT count(*) FROM track_fingerprints').pluck().get()).toBe(tracks.total);
      db.close();

      const album = (await callApi<{ items: AlbumOut[] }>('/albums')).items.find((item) => item.has_cover);
      const cover = await fetch(`${server.url}/api/v1/albums/${album?.id}/cover?size=64`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const { width } = await sharp(Buffer.from(await cover.arrayBuffer())).metadata();
      expect(width).toBe(64);
    });
  });

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Returns whether the first bytes are those of ELF, Mach-O or PE. */
function isBinary(path: string): boolean {
  const head = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, head, 0, 4, 0);
  closeSync(file);
  return (
    head.subarray(1).toString('latin1') === 'ELF' ||
    ['cffaedfe', 'cafebabe'].includes(head.toString('hex')) ||
    head.subarray(0, 2).toString('latin1') === 'MZ'
  );
}
