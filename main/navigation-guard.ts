// Restricts pages: only our own server's, each in its own window, without any permission beyond a page's.
import { shell, type Session, type WebContents } from 'electron';
import { windowOf, type WindowName } from './window-paths.ts';

interface NavigationGuardDeps {
  isOurs(address: string): boolean;
  nameOf(page: WebContents): WindowName | undefined;
  /** Shows a page of ours in its own window. */
  show(name: WindowName, path: string): void;
}

/** Keeps a page, and every frame in it, on our own server; https links open in the system's browser. */
export function guardNavigation(page: WebContents, { isOurs, nameOf, show }: NavigationGuardDeps): void {
  page.on('will-frame-navigate', (event) => {
    if (!isOurs(event.url)) {
      event.preventDefault();
      if (event.isMainFrame) openInBrowser(event.url);
      return;
    }
    const name = windowOf(new URL(event.url).pathname);
    if (!event.isMainFrame || name === 'any' || name === nameOf(page)) return;
    event.preventDefault();
    openOurs(event.url);
  });
  page.on('will-redirect', (event) => {
    if (!isOurs(event.url)) event.preventDefault();
  });
  page.on('will-attach-webview', (event) => event.preventDefault());
  page.setWindowOpenHandler(({ url }) => {
    if (isOurs(url)) openOurs(url);
    else openInBrowser(url);
    return { action: 'deny' };
  });

  /** Pages that belong to no window (API docs, a shared song) open in the browser. */
  function openOurs(address: string): void {
    const { pathname, search, hash } = new URL(address);
    const name = windowOf(pathname);
    if (name !== undefined && name !== 'any') show(name, pathname + search + hash);
    else shell.openExternal(address).catch(() => undefined);
  }
}

function openInBrowser(address: string): void {
  if (URL.canParse(address) && new URL(address).protocol === 'https:')
    shell.openExternal(address).catch(() => undefined); // no browser to open it with
}

/** Camera, location, notifications, devices: none is needed. Only copying to the clipboard is allowed. */
export function denyPermissions(session: Session, isOurs: (address: string) => boolean): void {
  const isAllowed = (permission: string, page: string): boolean =>
    permission === 'clipboard-sanitized-write' && isOurs(page);
  session.setPermissionRequestHandler((page, permission, decide) => decide(isAllowed(permission, page.getURL())));
  session.setPermissionCheckHandler((page, permission) => isAllowed(permission, page?.getURL() ?? ''));
  session.setDevicePermissionHandler(() => false);
}
