// Stands in for `electron` in tests (an alias in vitest.config.ts). It keeps what the shell relies on: what may be called before
// the app is ready and what may not, the order of events on quit, which navigations raise which event, structured cloning and
// wrapped errors over IPC. `fake` is what a test turns and looks at.
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Electron from 'electron';

/** Names of the real thing, so that a fake of something that does not exist does not compile. */
type Part<T> = Partial<Record<keyof T, unknown>>;
type Handler = (event: unknown, ...args: unknown[]) => unknown;
interface Frame { url: string }

const cancellable = <T extends object>(details: T) => {
  const event = { ...details, defaultPrevented: false, preventDefault: () => { event.defaultPrevented = true; } };
  return event;
};

class FakeApp extends EventEmitter implements Pick<Electron.App, 'isReady' | 'quit' | 'getVersion' | 'getAppPath' | 'requestSingleInstanceLock' | 'enableSandbox'> {
  isPackaged = false;
  hasLock = true;
  hasExited = false;
  isSandboxed = false;
  switches = new Set<string>();
  paths: Record<string, string> = {};
  commandLine = { hasSwitch: (name: string) => this.switches.has(name) } satisfies Part<Electron.CommandLine>;
  private ready = Promise.withResolvers<void>();
  private readyNow = false;
  private isQuitting = false;

  isReady(): boolean { return this.readyNow; }
  whenReady(): Promise<void> { return this.ready.promise; }
  getVersion(): string { return '1.2.3'; }
  getAppPath(): string { return '/app'; }
  requestSingleInstanceLock(): boolean { return this.hasLock; }

  enableSandbox(): void {
    if (this.readyNow) throw new Error('app.enableSandbox() can only be called before app is ready');
    this.isSandboxed = true;
  }

  getPath(name: string): string {
    const path = this.paths[name];
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`Failed to set path: ${path} does not exist`);
    this.paths[name] = path;
  }

  /** before-quit → every window closes → will-quit → quit; a listener may stop it at both `before-quit` and `will-quit`. */
  quit(): void {
    if (this.isQuitting || this.hasExited) return;
    const before = cancellable({});
    this.emit('before-quit', before);
    if (before.defaultPrevented) return;
    this.isQuitting = true;
    if (fake.windows.length === 0) return this.end();
    for (const window of fake.windows) window.close();
  }

  lastWindowClosed(): void {
    if (this.isQuitting) this.end();
    else if (this.listenerCount('window-all-closed') === 0) this.quit();
    else this.emit('window-all-closed');
  }

  becomeReady(): void {
    if (this.hasExited) return;
    this.readyNow = true;
    this.ready.resolve();
  }

  private end(): void {
    const will = cancellable({});
    this.emit('will-quit', will);
    this.isQuitting = false;
    if (will.defaultPrevented) return;
    this.hasExited = true;
    this.emit('quit');
  }
}

class FakeContents extends EventEmitter implements Pick<Electron.WebContents, 'getURL' | 'reload' | 'setWindowOpenHandler'> {
  mainFrame: Frame = { url: '' };
  reloads = 0;
  private openHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] = () => ({ action: 'allow' });

  getURL(): string { return this.mainFrame.url; }
  reload(): void { this.reloads += 1; }
  setWindowOpenHandler(handler: typeof this.openHandler): void { this.openHandler = handler; }

  /** The page goes elsewhere by itself; loading by the app raises none of these events. */
  navigate(url: string, { frame = this.mainFrame }: { frame?: Frame } = {}): boolean {
    const isMainFrame = frame === this.mainFrame;
    const inFrame = cancellable({ url, isMainFrame, frame });
    this.emit('will-frame-navigate', inFrame);
    const inPage = cancellable({ url, isMainFrame, frame });
    if (isMainFrame) this.emit('will-navigate', inPage);
    if (inFrame.defaultPrevented || inPage.defaultPrevented) return false;
    frame.url = url;
    return true;
  }

  /** The server answers a navigation with another address. */
  redirect(url: string): boolean {
    const event = cancellable({ url, isMainFrame: true, frame: this.mainFrame });
    this.emit('will-redirect', event);
    return !event.defaultPrevented;
  }

  /** window.open(), or a link with target=_blank. */
  open(url: string): 'allow' | 'deny' {
    return this.openHandler({ url, frameName: '', features: '', disposition: 'foreground-tab', referrer: { url: this.getURL(), policy: 'no-referrer' } }).action;
  }

  attachWebview(): boolean {
    const event = cancellable({});
    this.emit('will-attach-webview', event, {}, {});
    return !event.defaultPrevented;
  }
}

export class BrowserWindow extends EventEmitter implements Pick<Electron.BrowserWindow, 'show' | 'focus' | 'close' | 'restore' | 'minimize' | 'isMinimized'> {
  webContents = new FakeContents();
  options: Electron.BrowserWindowConstructorOptions;
  isShown: boolean;
  focuses = 0;
  private minimized = false;
  private destroyed = false;

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return fake.windows.find((window) => window.webContents === contents) ?? null;
  }

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    this.options = options;
    this.isShown = options.show ?? true;
    fake.windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  async loadURL(url: string): Promise<void> {
    this.alive();
    this.webContents.mainFrame = { url: new URL(url).href };
    this.emit('ready-to-show');
  }

  show(): void { this.alive(); this.isShown = true; }
  focus(): void { this.alive(); this.focuses += 1; }
  minimize(): void { this.alive(); this.minimized = true; }
  restore(): void { this.alive(); this.minimized = false; }
  isMinimized(): boolean { this.alive(); return this.minimized; }

  close(): void {
    this.alive();
    const event = cancellable({});
    this.emit('close', event);
    if (event.defaultPrevented) return;
    this.destroyed = true;
    fake.windows = fake.windows.filter((window) => window !== this);
    this.emit('closed');
    if (fake.windows.length === 0) app.lastWindowClosed();
  }

  private alive(): void {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
  }
}

/** Plain Node in the place of Chromium's service process: same output streams, pid and exit event. */
class FakeUtilityProcess extends EventEmitter {
  stdout: NodeJS.ReadableStream | null;
  stderr: NodeJS.ReadableStream | null;
  pid: number | undefined;

  static fork(modulePath: string, args: string[] = [], options: Electron.ForkOptions = {}): FakeUtilityProcess {
    if (!app.isReady()) throw new Error('utilityProcess cannot be created before app is ready.');
    fake.forks.push({ modulePath, options });
    return new FakeUtilityProcess(spawn(process.execPath, [modulePath, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  private constructor(child: ChildProcess) {
    super();
    ({ stdout: this.stdout, stderr: this.stderr, pid: this.pid } = child);
    child.once('close', (code) => {
      this.pid = undefined;
      this.emit('exit', code ?? 1);
      this.stdout = this.stderr = null;
    });
  }
}

class FakeIpcMain extends EventEmitter {
  handlers = new Map<string, Handler>();

  handle(channel: string, handler: Handler): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.handlers.set(channel, handler);
  }
}

class FakeSession implements Part<Electron.Session> {
  requests: Parameters<Electron.Session['setPermissionRequestHandler']>[0] = null;
  checks: Parameters<Electron.Session['setPermissionCheckHandler']>[0] = null;
  devices: Parameters<Electron.Session['setDevicePermissionHandler']>[0] = null;
  setPermissionRequestHandler(handler: typeof this.requests): void { this.requests = handler; }
  setPermissionCheckHandler(handler: typeof this.checks): void { this.checks = handler; }
  setDevicePermissionHandler(handler: typeof this.devices): void { this.devices = handler; }
}

export let app = new FakeApp();
export let ipcMain = new FakeIpcMain();
export let session = { defaultSession: new FakeSession() };
export const utilityProcess = FakeUtilityProcess;
export const nativeTheme = { shouldUseDarkColors: false } satisfies Part<Electron.NativeTheme>;

export const shell = {
  openExternal: async (url: string) => void fake.openedOutside.push(url),
} satisfies Part<Electron.Shell>;

export const dialog = {
  showOpenDialog: async (...args: unknown[]) => {
    fake.folderDialogs.push(args);
    return fake.chosenFolder === undefined ? { canceled: true, filePaths: [] } : { canceled: false, filePaths: [fake.chosenFolder] };
  },
  showMessageBox: (options: Electron.MessageBoxOptions) =>
    new Promise<{ response: number; checkboxChecked: boolean }>((resolve) => {
      fake.messages.push({ options, answer: (button) => resolve({ response: options.buttons?.indexOf(button) ?? -1, checkboxChecked: false }) });
    }),
} satisfies Part<Electron.Dialog>;

export const contextBridge = {
  exposeInMainWorld: (name: string, api: unknown) => { fake.exposed[name] = api; },
} satisfies Part<Electron.ContextBridge>;

export const ipcRenderer = {
  invoke: (channel: string, ...args: unknown[]) => {
    const [window] = fake.windows;
    if (!window) throw new Error('There is no page that could ask.');
    return fake.invoke(window, channel, args);
  },
} satisfies Part<Electron.IpcRenderer>;

interface Message { options: Electron.MessageBoxOptions; answer(button: string): void }

export const fake = {
  windows: [] as BrowserWindow[],
  openedOutside: [] as string[],
  messages: [] as Message[],
  folderDialogs: [] as unknown[][],
  chosenFolder: undefined as string | undefined,
  forks: [] as { modulePath: string; options: Electron.ForkOptions }[],
  exposed: {} as Record<string, unknown>,

  /** A page calls a channel; by default its main frame does. Of an error only the text comes across. */
  invoke(window: BrowserWindow, channel: string, args: unknown[], frame: Frame | null = window.webContents.mainFrame): Promise<unknown> {
    const answer = async (given: unknown[]): Promise<unknown> => {
      const handler = ipcMain.handlers.get(channel);
      if (!handler) throw new Error(`No handler registered for '${channel}'`);
      return handler({ sender: window.webContents, senderFrame: frame }, ...given);
    };
    return answer(structuredClone(args)).then(
      (value) => structuredClone(value),
      (error: unknown) => Promise.reject(new Error(`Error invoking remote method '${channel}': ${String(error)}`)),
    );
  },

  /** A new app that has not begun. Folders it is given are gone with the next one. */
  reset(): void {
    const old = app.paths['appData'];
    if (old) rmSync(old, { recursive: true, force: true });
    app = new FakeApp();
    const appData = mkdtempSync(join(tmpdir(), 'tonearm-electron-'));
    app.paths = { appData, userData: join(appData, 'tonearm') };
    ipcMain = new FakeIpcMain();
    session = { defaultSession: new FakeSession() };
    Object.assign(fake, { windows: [], openedOutside: [], messages: [], folderDialogs: [], chosenFolder: undefined, forks: [] });
  },
};
