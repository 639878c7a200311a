// Windows, and the fence around what is shown in them: our own server's pages and nothing else, without any right beyond a page's.
import { BrowserWindow, nativeTheme, shell, type Session, type WebContents } from 'electron';

/** The page's own background, so that a window does not flash while it loads. */
const BACKGROUND = { light: '#f4f3f1', dark: '#0c0c0d' };

export function openLibraryWindow({ url, preload }: { url: string; preload: string }): BrowserWindow {
  const window = new BrowserWindow({
    title: 'Tonearm',
    width: 1_280,
    height: 840,
    minWidth: 380,
    minHeight: 480,
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
    autoHideMenuBar: true,
    webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
  });
  window.once('ready-to-show', () => window.show());
  load(window, url);
  return window;
}

/** Shows the page again after the server came back, which may be at another address now. */
export function reloadWindow(window: BrowserWindow, url: string, isOurs: (url: string) => boolean): void {
  if (isOurs(window.webContents.getURL())) window.webContents.reload();
  else load(window, url);
}

export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** A page that cannot be had says so in the window; when the server comes back the window is loaded anew. */
function load(window: BrowserWindow, url: string): void {
  window.loadURL(url).catch(() => undefined);
}

/** Keeps a page, and every frame in it, on our own server; an https link goes to the system's browser. */
export function fenceIn(contents: WebContents, isOurs: (url: string) => boolean): void {
  const leave = (url: string): void => {
    if (URL.canParse(url) && new URL(url).protocol === 'https:') shell.openExternal(url).catch(() => undefined); // no browser to open it with
  };
  contents.on('will-frame-navigate', (event) => {
    if (isOurs(event.url)) return;
    event.preventDefault();
    if (event.isMainFrame) leave(event.url);
  });
  contents.on('will-redirect', (event) => {
    if (!isOurs(event.url)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (isOurs(url)) return { action: 'allow' };
    leave(url);
    return { action: 'deny' };
  });
}

/** Camera, location, notifications, devices: nothing here needs to ask for any of it. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}
