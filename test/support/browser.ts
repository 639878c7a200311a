// Finds a Chromium for the browser tests: CHROME_PATH, the system's, or the one inside @sparticuz/chromium.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';
import { PATIENCE_MS } from './until.ts';

// Options of Chromium. @sparticuz/chromium's own `.args` are not used: its --single-process dies when a page closes.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

async function unpackPackagedBrowser(): Promise<string> {
  // the package reads this variable on import, and then unpacks its libraries too
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs22.x';
  process.env['TMPDIR'] ??= '/tmp';
  const { default: packagedChromium } = await import('@sparticuz/chromium');
  return packagedChromium.executablePath();
}

/** Unpacks the packaged Chromium if necessary; returns its path. */
export const browserPath = async (): Promise<string> =>
  process.env['CHROME_PATH'] ?? findOnPath() ?? (await unpackPackagedBrowser());

/** Starts the browser. Headless Chromium has no scroll bars unless requested. */
export async function openBrowser({ scrollBars = false }: { scrollBars?: boolean } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: await browserPath(),
    headless: true,
    timeout: PATIENCE_MS,
    args: ARGS,
    ...(scrollBars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
  });
}

/**
 * Opens a window with the time limits of the tests, and without the service worker unless a test needs it: it would
 * load the whole interface a second time for each window.
 */
export async function openContext(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}
