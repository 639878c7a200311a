// The fence around what is shown: our own server's pages, each in the window it belongs to, and nothing else, without
// any right beyond a page's.
import { shell, type Session, type WebContents } from 'electron';
import { windowOf, type WindowName } from './window-paths.ts';

interface FenceDeps {
  isOurs(address: string): boolean;
  nameOf(page: WebContents): WindowName | undefined;
  /** Brings a page of ours up in its own window. */
  show(name: WindowName, path: string): void;
}

/** Keeps a page, and every frame in it, on our own server; an https link goes to the system's browser. */
export function guardNavigation(page: WebContents, { isOurs, nameOf, show }: FenceDeps): void {
  page.on('will-frame-navigate', (event) => {
    if (!isOurs(event.url)) {
      event.preventDefault();
      if (event.isMainFrame) leave(event.url);
      return;
    }
    const name = windowOf(new URL(event.url).pathname);
    if (!event.isMainFrame || name === 'door' || name === nameOf(page)) return;
    event.preventDefault();
    openOurs(event.url);
  });
  page.on('will-redirect', (event) => {
    if (!isOurs(event.url)) event.preventDefault();
  });
  page.on('will-attach-webview', (event) => event.preventDefault());
  page.setWindowOpenHandler(({ url }) => {
    if (isOurs(url)) openOurs(url);
    else leave(url);
    return { action: 'deny' };
  });

  /** What is no window of the app (its documentation, a shared song) is a page for a browser. */
  function openOurs(address: string): void {
    const { pathname, search, hash } = new URL(address);
    const name = windowOf(pathname);
    if (name !== undefined && name !== 'door') show(name, pathname + search + hash);
    else shell.openExternal(address).catch(() => undefined);
  }
}

function leave(address: string): void {
  if (URL.canParse(address) && new URL(address).protocol === 'https:')
    shell.openExternal(address).catch(() => undefined); // no browser to open it with
}

/**
 * Camera, location, notifications, devices: nothing here needs to ask for any of it. Only what a button copies may go
 * to the clipboard.
 */
export function denyPermissions(session: Session, isOurs: (address: string) => boolean): void {
  const isAllowed = (permission: string, page: string): boolean =>
    permission === 'clipboard-sanitized-write' && isOurs(page);
  session.setPermissionRequestHandler((page, permission, decide) => decide(isAllowed(permission, page.getURL())));
  session.setPermissionCheckHandler((page, permission) => isAllowed(permission, page?.getURL() ?? ''));
  session.setDevicePermissionHandler(() => false);
}
