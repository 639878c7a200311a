// Draws the status in tray, application menu, task bar or dock. Unchanged parts are not redrawn, and a running scan is
// drawn once a second.
import { join } from 'node:path';
import { app, BrowserWindow, Menu, nativeImage, Tray, type MenuItemConstructorOptions } from 'electron';
import type { Actions } from './actions.ts';
import { appMenu } from './app-menu.ts';
import type { Clock } from './clock.ts';
import { isSounding, progressOf, underWay, type Status } from './status.ts';
import type { Say } from './texts.ts';
import { dockMenu, trayMenu, trayToolTip } from './tray-menu.ts';

interface StatusViewDeps {
  platform: NodeJS.Platform;
  /** Folder with the images; macOS colours the tray icon by itself. */
  icons: string;
  actions: Actions;
  clock: Clock;
}

const DRAW_INTERVAL_MS = 1_000;

export function createStatusView({ platform, icons, actions, clock }: StatusViewDeps) {
  const picture = (name: string) => nativeImage.createFromPath(join(icons, `${name}.png`));
  const image = picture(platform === 'darwin' ? 'trayTemplate' : 'tray');
  if (platform === 'darwin') image.setTemplateImage(true);
  const tray = new Tray(image);
  if (platform !== 'darwin') tray.on('click', () => actions.open()); // on macOS a click opens the menu

  let latestView: { status: Status; say: Say } | undefined;
  let isWaiting = false;
  const drawnContents = new Map<string, string>();

  /** Calls `draw` if the content of the area has changed; functions in the content are ignored. */
  const drawIfChanged = (area: string, content: unknown, draw: () => void): void => {
    const text = JSON.stringify(content) ?? '';
    if (drawnContents.get(area) === text) return;
    drawnContents.set(area, text);
    draw();
  };

  function draw(): void {
    if (!latestView || tray.isDestroyed()) return;
    const { status, say } = latestView;
    const menu = trayMenu(status, say, actions);
    const bar = appMenu(status, say, actions, platform);
    const cover = status.player?.cover ?? null;
    drawIfChanged('tray', [menu, cover], () => tray.setContextMenu(build(withCover(menu, cover))));
    drawIfChanged('tip', trayToolTip(status, say), () => tray.setToolTip(trayToolTip(status, say)));
    drawIfChanged('menu', bar, () => Menu.setApplicationMenu(build(bar)));
    const dock = dockMenu(status, say, actions);
    if (platform === 'darwin') drawIfChanged('dock', dock, () => app.dock?.setMenu(build(dock)));
    drawProgress(status);
    if (platform === 'win32') drawThumbnailButtons(status, say);
  }

  /** Draws player buttons below the preview of each window in the task bar of Windows. */
  function drawThumbnailButtons(status: Status, say: Say): void {
    const isPlaying = isSounding(status);
    const flags = isPlaying ? [] : ['disabled'];
    const button = (name: string, click: () => void, tooltip: string, flags: string[] = []) => ({
      icon: picture(name),
      tooltip,
      flags,
      click,
    });
    for (const window of BrowserWindow.getAllWindows())
      drawIfChanged(`buttons ${window.id}`, [isPlaying, say('action.play')], () =>
        window.setThumbarButtons([
          button('previous', () => actions.player('previous'), say('action.previous'), flags),
          button(
            isPlaying ? 'pause' : 'play',
            () => actions.player('toggle'),
            say(isPlaying ? 'action.pause' : 'action.play'),
          ),
          button('next', () => actions.player('next'), say('action.next'), flags),
        ]),
      );
  }

  function drawProgress({ work }: Status): void {
    const progress = progressOf(work);
    const percent = typeof progress === 'number' ? `${Math.floor(progress * 100)} %` : '…';
    for (const window of BrowserWindow.getAllWindows())
      window.setProgressBar(progress === undefined ? -1 : (progress ?? 2)); // above 1 means indeterminate
    if (platform === 'darwin')
      drawIfChanged('badge', progress === undefined ? '' : percent, () =>
        app.dock?.setBadge(progress === undefined ? '' : percent),
      );
    else if (platform === 'linux') {
      const count = underWay(work).length;
      drawIfChanged('badge', count, () => void app.setBadgeCount(count));
    }
  }

  return {
    show(status: Status, say: Say): void {
      latestView = { status, say };
      if (isWaiting) return;
      isWaiting = true;
      draw();
      clock.after(DRAW_INTERVAL_MS, () => {
        isWaiting = false;
        draw();
      });
    },
    /** Redraws the tray menu after an action failed, because the system has already toggled its switch. */
    redrawTray(): void {
      drawnContents.delete('tray');
      draw();
    },
    close: (): void => tray.destroy(),
  };
}

/** Adds the cover to the first item, which names the current track. */
const withCover = ([firstItem, ...otherItems]: MenuItemConstructorOptions[], cover: string | null) =>
  cover === null
    ? [{ ...firstItem }, ...otherItems]
    : [{ ...firstItem, icon: nativeImage.createFromDataURL(cover) }, ...otherItems];

const build = (template: MenuItemConstructorOptions[]): Menu => Menu.buildFromTemplate(template);
