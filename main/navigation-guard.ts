// Restricts pages to the app's own server, each page to its own window, and all of them to the permissions of a plain
// page.
import { shell, type Session, type WebContents } from 'electron';
import { windowOf, type WindowName } from './window-paths.ts';

interface NavigationGuardDeps {
  isOwnPage(address: string): boolean;
  nameOf(page: WebContents): WindowName | undefined;
  /** Shows a page of the app's server in its own window. */
  show(name: WindowName, path: string): void;
}

/** Keeps a page and all of its frames on the app's server; https links open in the system's browser. */
export function guardNavigation(page: WebContents, { isOwnPage, nameOf, show }: NavigationGuardDeps): void {
  page.on('will-frame-navigate', (event) => {
    if (!isOwnPage(event.url)) {
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
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  page.on('will-attach-webview', (event) => event.preventDefault());
  page.setWindowOpenHandler(({ url }) => {
    if (isOwnPage(url)) openOurs(url);
    else openInBrowser(url);
    return { action: 'deny' };
  });

  /** Opens a page of the server; pages that belong to no window (API docs, a shared song) open in the browser. */
  function openOurs(address: string): void {
    const { pathname, search, hash } = new URL(address);
    const name = windowOf(pathname);
    if (name !== undefined && name !== 'any') show(name, pathname + search + hash);
    else shell.openExternal(address).catch(() => undefined);
  }
}

function openInBrowser(address: string): void {
  if (URL.canParse(address) && new URL(address).protocol === 'https:')
    shell.openExternal(address).catch(() => undefined); // the system may have no browser
}

/**
 * Denies camera, location, notifications and devices, which no page needs. Only writing to the clipboard is allowed.
 */
export function denyPermissions(session: Session, isOwnPage: (address: string) => boolean): void {
  const isAllowed = (permission: string, page: string): boolean =>
    permission === 'clipboard-sanitized-write' && isOwnPage(page);
  session.setPermissionRequestHandler((page, permission, decide) => decide(isAllowed(permission, page.getURL())));
  session.setPermissionCheckHandler((page, permission) => isAllowed(permission, page?.getURL() ?? ''));
  session.setDevicePermissionHandler(() => false);
}
