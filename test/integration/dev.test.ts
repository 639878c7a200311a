// `npm run dev` on a copy of the sources: saved files take effect, and errors are shown.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFresh } from '../../scripts/built-parts.js';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackPage } from '../../server/library/wire.ts';
import { OWNER } from '../e2e/stage.ts';
import { isAlive } from '../support/process.ts';
import { root } from '../support/product.ts';

const SOURCES = ['dist', 'migrations', 'renderer', 'resources', 'scripts', 'server', 'test'];
const TRACKS = 12;
/** The only files whose types are checked, with what they import. */
const CHECKED = { server: 'http/problem.ts', renderer: 'ui/controls/button.tsx' };

let copy: string;
let dev: ChildProcess;
let url: string;
let output = '';
let messages: { type: string; updates?: { path: string }[]; err?: { message: string } }[];

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'tonearm-dev-'));
  for (const name of [...SOURCES, ...readdirSync(root).filter((file) => /\.(json|ts)$/.test(file))])
    cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  mkdirSync(join(copy, 'node_modules')); // a folder of its own, since Vite keeps a cache in it
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => !/^\.(vite|package-lock)/.test(entry)))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name), 'junction');
  // as new as the copied folders, so that the server is not built again
  if (isFresh('server')) utimesSync(join(copy, 'dist', '.server.built'), new Date(), new Date());
  // the whole takes ten seconds of work, and would replace what the type check of this folder remembers
  for (const [folder, file] of Object.entries(CHECKED)) {
    const path = join(copy, folder, 'tsconfig.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as { compilerOptions: object };
    const compilerOptions = { ...config.compilerOptions, tsBuildInfoFile: `../${folder}-types.json` };
    writeFileSync(path, JSON.stringify({ ...config, compilerOptions, include: [file] }));
  }
  dev = spawn(process.execPath, [join(copy, 'scripts', 'dev.ts'), join(copy, 'seed'), String(TRACKS)], {
    cwd: copy,
    detached: process.platform !== 'win32', // a group of its own, as a terminal makes one
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  url = await new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      const address = /Local:\s+(http:\S+?)\/\s/.exec(stripVTControlCharacters(output))?.[1];
      if (address !== undefined) resolve(address);
    };
    dev.stdout?.on('data', take);
    dev.stderr?.on('data', take);
    dev.once('exit', (code) => reject(new Error(`npm run dev ended with ${code}: ${output}`)));
  });
  const [, token] = /wsToken = "([^"]+)"/.exec(await text('/@vite/client')) ?? [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
  messages = [];
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data)) as (typeof messages)[0]));
  await once(socket, 'open');
});

afterAll(async () => {
  if (dev.exitCode === null && dev.signalCode === null) {
    dev.kill('SIGKILL');
    await once(dev, 'exit');
  }
  rmSync(copy, { recursive: true, force: true });
});

const text = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
const edit = (file: string, change: (source: string) => string): void => {
  const path = join(copy, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
};

let token: string | undefined;
/** As the owner of the library. */
async function api<T>(path: string, method = 'GET'): Promise<T> {
  token ??= (await signIn()).access_token;
  const headers = { Authorization: `Bearer ${token}`, Origin: url };
  return (await (await fetch(`${url}/api/v1${path}`, { method, headers })).json()) as T;
}
async function signIn(): Promise<TokenResponse> {
  const headers = { 'Content-Type': 'application/json', Origin: url };
  const answer = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(OWNER) });
  return (await answer.json()) as TokenResponse;
}

test('the pages are served by Vite, and the seed library by the server', async () => {
  expect(await text('/')).toContain('/@vite/client');
  expect(await text('/settings')).toContain('/windows/settings/main.tsx');
  expect((await api<TrackPage>('/tracks')).total).toBe(TRACKS);
});

test('the music folder of the library is there, and a scan finds it unchanged', async () => {
  const { id } = await api<JobOut>('/sources/local_folder/scan', 'POST');
  await expect.poll(async () => (await api<JobOut>(`/jobs/${id}`)).status).toBe('succeeded');
  expect((await api<JobOut>(`/jobs/${id}`)).result).toMatchObject({
    path: join(copy, 'seed', 'music'),
    offline: [],
    files: TRACKS,
    unchanged: TRACKS,
    failed: [],
  });
});

test('a saved file of the server takes effect for the next request', async () => {
  edit('server/http/security-headers.ts', (source) =>
    source.replace(`'X-Frame-Options'`, `'X-Saved': 'yes',\n  'X-Frame-Options'`),
  );
  await expect.poll(async () => (await fetch(`${url}/health`)).headers.get('x-saved')).toBe('yes');
});

test('a server that does not start is reported in the terminal, in the page, and in every response', async () => {
  edit('server/http/health.ts', (source) => `${source}const broken: = 1;\n`);
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(503);
  const inPage = () => messages.findLast(({ type }) => type === 'error')?.err?.message ?? '';
  for (const said of [() => text('/health'), async () => output, async () => inPage()])
    await expect.poll(said).toMatch(/health\.ts:\d+[\s\S]*const broken: = 1;[\s\S]*SyntaxError/);
  edit('server/http/health.ts', (source) => source.replace('const broken: = 1;\n', ''));
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
  await expect.poll(() => messages.at(-1)?.type).toBe('full-reload');
});

test('a type error is reported in the terminal', async () => {
  edit('server/http/problem.ts', (source) => `${source}export const wrong: number = 'text';\n`);
  await expect.poll(() => output).toMatch(/TS2322.*Type 'string' is not assignable to type 'number'/);
});

test('a saved component reaches the open page', async () => {
  expect(await text('/ui/controls/button.tsx')).not.toContain('saved just now');
  edit('renderer/ui/controls/button.tsx', (source) => `${source}\n// saved just now\n`);
  await expect
    .poll(() => messages.flatMap(({ updates = [] }) => updates.map(({ path }) => path)))
    .toContain('/ui/controls/button.tsx');
  expect(await text('/ui/controls/button.tsx')).toContain('saved just now');
});

// Windows has no signals
test.skipIf(process.platform === 'win32')('Ctrl+C stops everything', async () => {
  process.kill(-(dev.pid as number), 'SIGINT');
  expect(await once(dev, 'exit')).toEqual([0, null]);
  await expect.poll(() => isAlive(-(dev.pid as number))).toBe(false);
});
