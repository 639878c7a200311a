// The environment of a browser test: a collection, the built server with an empty data folder, and a browser. `close`
// removes everything.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { openBrowser, openContext } from '../support/browser.ts';
import { makeLibrary, type LibraryOptions, type Manifest } from '../support/library.ts';
import { migratedDatabase } from '../support/temp-database.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');

export const OWNER_ACCOUNT = { username: 'owner', password: 'correct horse battery' };
/** Settings with which the server uses no internet services and analyzes nothing, unless a test requests it. */
const OFFLINE_SETTINGS = {
  musicbrainz_enabled: false,
  coverart_enabled: false,
  fpid_enabled: false,
  analysis_enabled: false,
};
export const DESK_WINDOW = { viewport: { width: 1440, height: 900 } } satisfies BrowserContextOptions;
export const PHONE_WINDOW = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
} satisfies BrowserContextOptions;

interface WindowOptions extends BrowserContextOptions {
  /** Whether an idle window loads the code of all pages, which takes half of the processor time of opening it. */
  preloads?: boolean;
}

export interface Stage {
  url: string;
  setupToken: string;
  dataDir: string;
  library: Manifest;
  browser: Browser;
  /** Script errors and blocked content of all pages. */
  problems: string[];
  /** Opens a new window that is not signed in. */
  openPage(options: WindowOptions): Promise<Page>;
  /** Opens a new window of the owner; first creates the account and scans the collection, if necessary. */
  openAsOwner(options: WindowOptions): Promise<Page>;
  api<T>(path: string, init?: { method?: string; body?: unknown }): Promise<T>;
  /** Kills the server; the returned function starts it again at the same address. */
  kill(): Promise<() => Promise<void>>;
  /** Creates the owner's account; later requests are sent as the owner. */
  signIn(): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions extends Omit<LibraryOptions, 'tracks'> {
  tracks?: number;
  /** Whether the server starts with `--import` and scans the collection at once; true by default. */
  isScanned?: boolean;
  /** Adds files to the music folder before it is scanned. */
  addMusic?: (dir: string) => void | Promise<void>;
  /** Settings in the form of environment variables. */
  env?: Record<string, string>;
  /** Folder of the built program; by default that of this project. */
  program?: string;
}

let shared: Promise<Browser> | undefined;

/** Returns one browser for all files of this process; starting one takes as long as a test. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await shared)?.isConnected()) shared = openBrowser();
  return shared as Promise<Browser>;
}

export async function openStage({
  isScanned = true,
  tracks = 60,
  addMusic,
  env,
  program,
  ...options
}: StageOptions = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-e2e-'));
  const library = makeLibrary({ tracks, seconds: '3', art: 'folder', ...options }, join(dir, 'music'));
  await addMusic?.(library.dir);
  mkdirSync(join(dir, 'data'));
  if (isScanned) migratedDatabase(join(dir, 'data', 'tonearm.db'));
  writeFileSync(join(dir, 'data', 'settings.json'), JSON.stringify(OFFLINE_SETTINGS));
  const {
    child: firstChild,
    url,
    setupToken,
  } = await startServer(join(dir, 'data'), isScanned ? ['--import', library.dir] : [], env, program);
  let child = firstChild;
  const browser = await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  let session: TokenResponse | undefined;

  const openPage = async ({ preloads = false, ...contextOptions }: WindowOptions): Promise<Page> => {
    const context = await openContext(browser, contextOptions);
    contexts.push(context);
    const page = await context.newPage();
    if (!preloads) await saveData(page);
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url} on ${page.url()})`);
    });
    await page.addInitScript(noteSounds);
    await page.addInitScript(holdUndo, UNDO_MS);
    return page;
  };

  const api = async <T>(
    path: string,
    { method = 'GET', body }: { method?: string; body?: unknown } = {},
  ): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(session && { Authorization: `Bearer ${session.access_token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  };

  const makeOwner = async (): Promise<TokenResponse> => {
    session = await api<TokenResponse>('/auth/setup', {
      method: 'POST',
      body: { ...OWNER_ACCOUNT, setup_token: setupToken },
    });
    if (isScanned) await untilIdle(() => api<{ items: JobOut[] }>('/jobs'));
    return session;
  };

  const stage: Stage = {
    url,
    setupToken,
    dataDir: join(dir, 'data'),
    library,
    browser,
    problems,
    openPage,
    api,
    async signIn() {
      session = await api<TokenResponse>('/auth/login', { method: 'POST', body: OWNER_ACCOUNT });
    },
    async openAsOwner(context) {
      const { access_token, user } = session ?? (await makeOwner());
      const page = await openPage({ baseURL: url, ...context });
      await page.addInitScript(
        ([token, owner]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: owner })),
        [access_token, user] as const,
      );
      return page;
    },
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return async () => {
        const args = ['--port', new URL(url).port];
        ({ child } = await startServer(join(dir, 'data'), args, env, program, { hasOwner: true }));
      };
    },
    async close() {
      for (const context of contexts) await context.close();
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return stage;
}

export async function startServer(
  dataDir: string,
  args: string[],
  env: Record<string, string> = {},
  program = root,
  { hasOwner = false }: { hasOwner?: boolean } = {},
): Promise<{ child: ChildProcess; url: string; setupToken: string }> {
  const child = spawn(
    process.execPath,
    [
      join(program, 'dist', 'server', 'main.js'),
      '--data-dir',
      dataDir,
      ...(args.includes('--port') ? [] : ['--port', '0']),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  let text = '';
  return new Promise((resolve, reject) => {
    const onChunk = (chunk: Buffer) => {
      text += chunk.toString();
      const url = /listening on (http:\S+)/.exec(text)?.[1];
      const setupToken = hasOwner ? '' : /Setup token: (\S+)/.exec(text)?.[1];
      if (url && setupToken !== undefined) resolve({ child, url, setupToken });
    };
    child.stdout.on('data', onChunk);
    child.stderr.on('data', onChunk);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

/** Turns on the data saver of the browser. */
async function saveData(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/**
 * Polling interval for jobs; ended jobs stay ended, and each request takes processor time from the work that the test
 * waits for.
 */
const AN_END = { everyMs: 100 };

export async function untilIdle(listJobs: () => Promise<{ items: JobOut[] }>): Promise<void> {
  // jobs that wait for an internet service count as idle, because they would wait forever
  const isIdle = ({ items }: { items: JobOut[] }): boolean =>
    items.length > 0 && items.every((job) => job.finished_at !== null || job.status === 'waiting');
  await until(listJobs, isIdle, AN_END);
}

/** Scans the music folder, and waits until the scan has ended. */
export async function scanToTheEnd({ api }: Pick<Stage, 'api'>): Promise<void> {
  await untilEnded({ api }, await api<JobOut>('/sources/local_folder/scan', { method: 'POST' }));
}

export const untilEnded = ({ api }: Pick<Stage, 'api'>, { id }: JobOut): Promise<JobOut> =>
  until(
    () => api<JobOut>(`/jobs/${id}`),
    (job) => job.finished_at !== null,
    AN_END,
  );

/** Makes some tracks missing: adds a music folder in reference mode, scans it, removes some files, and scans again. */
export async function loseFiles({ api, library }: Pick<Stage, 'api' | 'library'>, count: number): Promise<void> {
  const places = library.files
    .filter((file) => !file.messy && file.pathHex === undefined)
    .slice(0, count)
    .map((file) => join(library.dir, file.path));
  await api('/settings', {
    method: 'PATCH',
    body: { local_media_import_path: library.dir, local_media_import_mode: 'reference', local_media_watch: false },
  });
  for (const attempt of [() => {}, () => places.forEach((path) => rmSync(path))]) {
    attempt();
    await scanToTheEnd({ api });
  }
}

/**
 * Waits for the layout after the window's size has changed: for two frames, because measurements in the first one
 * change the second, and then until the page is idle.
 */
export async function waitUntilDrawn(page: Page): Promise<void> {
  let isDrawn = false;
  while (!isDrawn) isDrawn = await page.evaluate(nextFrames, ASKED_AGAIN_MS);
}

/**
 * Another frame is requested after this time, because Chromium sometimes draws none for minutes after a change of the
 * size.
 */
const ASKED_AGAIN_MS = 1_000;

/** Runs in the page: waits for two frames. */
const nextFrames = (askedAgainMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => resolve(true))));
    setTimeout(resolve, askedAgainMs, false);
  });

/** Waits until all animations have ended, because half-drawn colours have less contrast. */
export const waitUntilStill = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'), undefined, {
    polling: 100,
  });

/** Time in which a change can be undone, as in renderer/ui/controls/undoable.ts. */
const UNDO_MS = 8_000;

interface WithUndo {
  endUndo: () => void;
}

/** Runs in the page and extends the undo time until the test ends it. */
function holdUndo(ms: number): void {
  const { setTimeout, clearTimeout } = globalThis;
  const heldTimers = new Map<number, () => void>();
  Object.assign(globalThis, {
    setTimeout(callback: () => void, delay?: number, ...rest: []) {
      if (delay !== ms) return setTimeout(callback, delay, ...rest);
      const id = setTimeout(() => undefined, 2 ** 31 - 1) as unknown as number;
      heldTimers.set(id, callback);
      return id;
    },
    clearTimeout(id: number) {
      heldTimers.delete(id);
      clearTimeout(id);
    },
    endUndo() {
      for (const [id, callback] of heldTimers) if (heldTimers.delete(id)) callback();
    },
  });
}

export const endUndo = (page: Page): Promise<void> =>
  page.evaluate(() => (globalThis as unknown as WithUndo).endUndo());

interface Noted {
  audioElements: HTMLAudioElement[];
  startedSounds: { node: AudioBufferSourceNode; from: number; offset: number; endsAt: number }[];
}

/**
 * Runs in the page: the player's audio is not in the document, so it is recorded when created (elements) and started
 * (decoded audio).
 */
export function noteSounds(): void {
  const observations: Noted = { audioElements: [], startedSounds: [] };
  const Original = globalThis.Audio;
  Object.assign(globalThis, {
    ...observations,
    Audio: function () {
      const audio = new Original();
      observations.audioElements.push(audio);
      return audio;
    },
  });
  const { start, stop } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (from = 0, offset = 0) {
    observations.startedSounds.push({ node: this, from, offset, endsAt: from + (this.buffer?.duration ?? 0) - offset });
    start.call(this, from, offset);
  };
  AudioBufferSourceNode.prototype.stop = function (when = 0) {
    for (const sound of observations.startedSounds)
      if (sound.node === this) sound.endsAt = Math.min(sound.endsAt, Math.max(when, this.context.currentTime));
    stop.call(this, when);
  };
}

/** Returns the position in the playing track in seconds; 0 if nothing plays. */
export const currentTime = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { audioElements, startedSounds } = globalThis as unknown as Noted;
    const soundingPositions = startedSounds.flatMap(({ node, from, offset, endsAt }) => {
      const contextTime = node.context.currentTime;
      return node.context.state === 'running' && contextTime >= from && contextTime < endsAt
        ? [offset + contextTime - from]
        : [];
    });
    return audioElements.find((audio) => !audio.paused)?.currentTime ?? soundingPositions[0] ?? 0;
  });
