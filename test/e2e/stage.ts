// What a story needs: a collection, the built server on an empty data folder, a browser. Everything goes away with `close`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { openBrowser } from '../support/browser.ts';
import { makeLibrary, type LibraryOptions, type Manifest } from '../support/library.ts';

const root = join(import.meta.dirname, '..', '..');

export const OWNER = { username: 'owner', password: 'correct horse battery' };
export const DESK = { viewport: { width: 1440, height: 900 } } satisfies BrowserContextOptions;
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } satisfies BrowserContextOptions;

export interface Stage {
  url: string;
  setupToken: string;
  library: Manifest;
  browser: Browser;
  /** What pages reported that they should not: script errors, refused content. */
  problems: string[];
  /** A new window that nobody is signed in at. */
  openPage(options: BrowserContextOptions): Promise<Page>;
  /** A new window of the owner; the account is made, and the collection scanned, when it has not been yet. */
  openAsOwner(options: BrowserContextOptions): Promise<Page>;
  api<T>(path: string, init?: { method?: string; body?: unknown }): Promise<T>;
  close(): Promise<void>;
}

export interface StageOptions extends Omit<LibraryOptions, 'tracks'> {
  tracks?: number;
  /** Start with `--import`, so that the collection is there at once; default true. */
  scanned?: boolean;
}

export async function openStage({ scanned = true, tracks = 60, ...options }: StageOptions = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-e2e-'));
  const library = makeLibrary({ tracks, seconds: '3', art: 'folder', ...options }, join(dir, 'music'));
  const { child, url, setupToken } = await startServer(join(dir, 'data'), scanned ? ['--import', library.dir] : []);
  const browser = await openBrowser();
  const problems: string[] = [];
  let session: TokenResponse | undefined;

  const openPage = async (context: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...context })).newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.addInitScript(keepAudioElements);
    return page;
  };

  const api = async <T>(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(session && { Authorization: `Bearer ${session.access_token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };

  const makeOwner = async (): Promise<TokenResponse> => {
    session = await api<TokenResponse>('/auth/setup', { method: 'POST', body: { ...OWNER, setup_token: setupToken } });
    if (scanned) await untilIdle(() => api<{ items: JobOut[] }>('/jobs'));
    return session;
  };

  const stage: Stage = {
    url, setupToken, library, browser, problems, openPage, api,
    async openAsOwner(context) {
      const { access_token, user } = session ?? (await makeOwner());
      const page = await openPage({ baseURL: url, ...context });
      await page.addInitScript(([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })), [access_token, user] as const);
      return page;
    },
    async close() {
      await browser.close();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return stage;
}

async function startServer(dataDir: string, args: string[]): Promise<{ child: ChildProcess; url: string; setupToken: string }> {
  const child = spawn(process.execPath, [join(root, 'dist', 'server', 'main.js'), '--data-dir', dataDir, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      text += chunk.toString();
      const url = /listening on (http:\S+)/.exec(text)?.[1];
      const setupToken = /Setup token: (\S+)/.exec(text)?.[1];
      if (url && setupToken) resolve({ child, url, setupToken });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

async function untilIdle(listJobs: () => Promise<{ items: JobOut[] }>): Promise<void> {
  for (;;) {
    const { items } = await listJobs();
    if (items.length > 0 && items.every((job) => job.finished_at !== null)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs in the page: the player's audio elements are in no document, so they are noted as they are made. */
function keepAudioElements(): void {
  const made: HTMLAudioElement[] = [];
  const Original = globalThis.Audio;
  Object.assign(globalThis, {
    audioElements: made,
    Audio: function () {
      const audio = new Original();
      made.push(audio);
      return audio;
    },
  });
}

/** Seconds into the track that sounds; 0 when nothing does. */
export const currentTime = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { audioElements: HTMLAudioElement[] }).audioElements.find((audio) => !audio.paused)?.currentTime ?? 0);
