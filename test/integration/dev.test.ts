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
import { OWNER_ACCOUNT } from '../e2e/stage.ts';
import { isAlive } from '../support/process.ts';
import { root } from '../support/product.ts';

const SOURCES = ['dist', 'migrations', 'renderer', 'resources', 'scripts', 'server', 'test'];
const TRACK_COUNT = 12;
/** The only files whose types are checked, together with their imports. */
const CHECKED_FILES = { server: 'http/problem.ts', renderer: 'ui/controls/button.tsx' };

let copyDir: string;
let devProcess: ChildProcess;
let url: string;
let output = '';
let messages: { type: string; updates?: { path: string }[]; err?: { message: string } }[];

beforeAll(async () => {
  copyDir = mkdtempSync(join(tmpdir(), 'tonearm-dev-'));
  for (const name of [...SOURCES, ...readdirSync(root).filter((file) => /\.(json|ts)$/.test(file))])
    cpSync(join(root, name), join(copyDir, name), { recursive: true, preserveTimestamps: true });
  mkdirSync(join(copyDir, 'node_modules')); // a separate folder, because Vite keeps a cache in it
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => !/^\.(vite|package-lock)/.test(entry)))
    symlinkSync(join(root, 'node_modules', name), join(copyDir, 'node_modules', name), 'junction');
  // sets the time of the build to that of the copied folders, so that the server is not built again
  if (isFresh('server')) utimesSync(join(copyDir, 'dist', '.server.built'), new Date(), new Date());
  // checks two files, because all of them take ten seconds and would replace the cache of the real type check
  for (const [folder, file] of Object.entries(CHECKED_FILES)) {
    const path = join(copyDir, folder, 'tsconfig.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as { compilerOptions: object };
    const compilerOptions = { ...config.compilerOptions, tsBuildInfoFile: `../${folder}-types.json` };
    writeFileSync(path, JSON.stringify({ ...config, compilerOptions, include: [file] }));
  }
  devProcess = spawn(
    process.execPath,
    [join(copyDir, 'scripts', 'dev.ts'), join(copyDir, 'seed'), String(TRACK_COUNT)],
    {
      cwd: copyDir,
      detached: process.platform !== 'win32', // makes a process group, as a terminal does
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  url = await new Promise((resolve, reject) => {
    const readOutput = (chunk: Buffer): void => {
      output += chunk.toString();
      const address = /Local:\s+(http:\S+?)\/\s/.exec(stripVTControlCharacters(output))?.[1];
      if (address !== undefined) resolve(address);
    };
    devProcess.stdout?.on('data', readOutput);
    devProcess.stderr?.on('data', readOutput);
    devProcess.once('exit', (code) => reject(new Error(`npm run dev ended with ${code}: ${output}`)));
  });
  const [, token] = /wsToken = "([^"]+)"/.exec(await fetchText('/@vite/client')) ?? [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
  messages = [];
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data)) as (typeof messages)[0]));
  await once(socket, 'open');
});

afterAll(async () => {
  if (devProcess.exitCode === null && devProcess.signalCode === null) {
    devProcess.kill('SIGKILL');
    await once(devProcess, 'exit');
  }
  rmSync(copyDir, { recursive: true, force: true });
});

const fetchText = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
const editFile = (file: string, change: (source: string) => string): void => {
  const path = join(copyDir, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
};

let token: string | undefined;
/** Sends a request as the owner of the library. */
async function callApi<T>(path: string, method = 'GET'): Promise<T> {
  token ??= (await signIn()).access_token;
  const headers = { Authorization: `Bearer ${token}`, Origin: url };
  return (await (await fetch(`${url}/api/v1${path}`, { method, headers })).json()) as T;
}
async function signIn(): Promise<TokenResponse> {
  const headers = { 'Content-Type': 'application/json', Origin: url };
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify(OWNER_ACCOUNT),
  });
  return (await response.json()) as TokenResponse;
}

test('the pages are served by Vite, and the seed library by the server', async () => {
  expect(await fetchText('/')).toContain('/@vite/client');
  expect(await fetchText('/settings')).toContain('/windows/settings/main.tsx');
  expect((await callApi<TrackPage>('/tracks')).total).toBe(TRACK_COUNT);
});

test('the music folder of the library is there, and a scan finds it unchanged', async () => {
  const { id } = await callApi<JobOut>('/sources/local_folder/scan', 'POST');
  await expect.poll(async () => (await callApi<JobOut>(`/jobs/${id}`)).status).toBe('succeeded');
  expect((await callApi<JobOut>(`/jobs/${id}`)).result).toMatchObject({
    path: join(copyDir, 'seed', 'music'),
    offline: [],
    files: TRACK_COUNT,
    unchanged: TRACK_COUNT,
    failed: [],
  });
});

test('a saved file of the server takes effect for the next request', async () => {
  editFile('server/http/security-headers.ts', (source) =>
    source.replace(`'X-Frame-Options'`, `'X-Saved': 'yes',\n  'X-Frame-Options'`),
  );
  await expect.poll(async () => (await fetch(`${url}/health`)).headers.get('x-saved')).toBe('yes');
});

test('a server that does not start is reported in the terminal, in the page, and in every response', async () => {
  editFile('server/http/health.ts', (source) => `${source}const broken: = 1;\n`);
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(503);
  const readPageError = () => messages.findLast(({ type }) => type === 'error')?.err?.message ?? '';
  for (const readMessage of [() => fetchText('/health'), async () => output, async () => readPageError()])
    await expect.poll(readMessage).toMatch(/health\.ts:\d+[\s\S]*const broken: = 1;[\s\S]*SyntaxError/);
  editFile('server/http/health.ts', (source) => source.replace('const broken: = 1;\n', ''));
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
  await expect.poll(() => messages.at(-1)?.type).toBe('full-reload');
});

test('a type error is reported in the terminal', async () => {
  editFile('server/http/problem.ts', (source) => `${source}export const wrong: number = 'text';\n`);
  await expect.poll(() => output).toMatch(/TS2322.*Type 'string' is not assignable to type 'number'/);
});

test('a saved component reaches the open page', async () => {
  expect(await fetchText('/ui/controls/button.tsx')).not.toContain('saved just now');
  editFile('renderer/ui/controls/button.tsx', (source) => `${source}\n// saved just now\n`);
  await expect
    .poll(() => messages.flatMap(({ updates = [] }) => updates.map(({ path }) => path)))
    .toContain('/ui/controls/button.tsx');
  expect(await fetchText('/ui/controls/button.tsx')).toContain('saved just now');
});

// Windows has no signals
test.skipIf(process.platform === 'win32')('Ctrl+C stops everything', async () => {
  process.kill(-(devProcess.pid as number), 'SIGINT');
  expect(await once(devProcess, 'exit')).toEqual([0, null]);
  await expect.poll(() => isAlive(-(devProcess.pid as number))).toBe(false);
});
