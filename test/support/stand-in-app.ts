// Runs the built desktop shell, with the built server, in this process with the tests' replacement for Electron, and
// shows its windows in Chromium. The pages have the built preload script.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import * as standIn from '../fakes/electron.ts';
import type { DesktopApp } from '../e2e/desktop-steps.ts';
import { openContext } from './browser.ts';
import { until } from './until.ts';

const root = join(import.meta.dirname, '..', '..');
const ELECTRON_URL = pathToFileURL(join(root, 'test', 'fakes', 'electron.ts')).href;

/** Starts the app; returns it and its first window. */
export async function startStandInApp(browser: Browser): Promise<{ app: DesktopApp; window: Page }> {
  standIn.fake.reset();
  standIn.app.appPath = root;
  const openedPages: Page[] = [];
  const context = await openContext(browser); // as in Electron, all windows share cookies and channels
  standIn.app.on('web-contents-created', (_event, contents: standIn.FakeContents) => {
    const window = standIn.BrowserWindow.fromWebContents(contents);
    if (!window) throw new Error('These contents have no window.');
    let page: Page | undefined;
    window.loadURL = async (url) => {
      page ??= await openWindowPage(context, window);
      await page.goto(url);
      window.emit('ready-to-show');
      if (!openedPages.includes(page)) openedPages.push(page);
    };
  });
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'electron' ? { url: ELECTRON_URL, shortCircuit: true } : next(specifier, context),
  });
  await import(pathToFileURL(join(root, 'dist', 'main', 'index.js')).href);
  hooks.deregister();
  standIn.app.becomeReady();
  await until(() => openedPages.length);

  return {
    window: openedPages[0]!,
    app: {
      evaluate: (async (run: (electron: unknown, arg: unknown) => unknown, arg: unknown) =>
        run(standIn, arg)) as DesktopApp['evaluate'],
      async nextWindow() {
        const { length } = openedPages;
        await until(() => openedPages.length > length);
        return openedPages[length]!;
      },
      async startAgain(link) {
        standIn.app.emit('second-instance', {}, ['tonearm', link], root);
      },
      hasQuit: () =>
        new Promise((resolve) => {
          standIn.app.once('quit', resolve);
        }),
    },
  };
}

/** Opens the page of a window, which closes with it. */
async function openWindowPage(context: BrowserContext, window: standIn.BrowserWindow): Promise<Page> {
  const contents = window.webContents;
  const page = await context.newPage();
  const resizePage = () => page.setViewportSize({ width: window.bounds.width, height: window.bounds.height });
  await resizePage();
  await page.exposeFunction('invokeMain', (channel: string, args: unknown[]) =>
    standIn.fake.invoke(window, channel, args),
  );
  await page.addInitScript({
    content: `{
      const listeners = new Set();
      globalThis.receiveMessage = (channel, ...args) =>
        listeners.forEach((it) => it.channel === channel && it.run({}, ...args));
      const ipcRenderer = {
        invoke: (channel, ...args) => globalThis.invokeMain(channel, args),
        on: (channel, run) => listeners.add({ channel, run }),
        off: (channel, run) => listeners.forEach((it) => it.run === run && listeners.delete(it)),
      };
      const contextBridge = { exposeInMainWorld: (name, api) => (globalThis[name] = api) };
      const require = () => ({ ipcRenderer, contextBridge });
      const [exports, module] = [{}, {}];
      ${readFileSync(join(root, 'dist', 'main', 'preload.cjs'), 'utf8')}
    }`,
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    contents.mainFrame.url = page.url();
    contents.emit('did-navigate', {}, page.url(), 200, 'OK');
  });
  contents.send = (channel, ...args) =>
    void page.evaluate(
      (message) =>
        (globalThis as unknown as { receiveMessage(...message: unknown[]): void }).receiveMessage(...message),
      [channel, ...args],
    );
  window.on('resize', () => void resizePage());
  window.once('closed', () => void page.close());
  page.once('close', () => {
    if (standIn.BrowserWindow.getAllWindows().includes(window)) window.close();
  });
  return page;
}
