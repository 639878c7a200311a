// The application menu: the menu bar on macOS, elsewhere opened with Alt. Pure, like the tray menu.
import type { MenuItemConstructorOptions } from 'electron';
import type { Actions } from './actions.ts';
import { isSounding, type Status } from './status.ts';
import type { Say } from './texts.ts';

const SEPARATOR = { type: 'separator' } as const;

export function appMenu(
  status: Status,
  say: Say,
  actions: Actions,
  platform: NodeJS.Platform,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  /**
   * Displays a key that the page handles itself, because only the page knows whether the user is typing. On macOS a
   * displayed key would also be handled, so none is displayed.
   */
  const displayOnly = (accelerator: string): MenuItemConstructorOptions =>
    isMac ? {} : { accelerator, registerAccelerator: false };
  const isUsable = status.server === 'running' && status.isSignedIn;
  const settings: MenuItemConstructorOptions = {
    label: say('action.settings'),
    accelerator: 'CmdOrCtrl+,',
    enabled: isUsable,
    click: () => actions.openSettings(),
  };
  const importing: MenuItemConstructorOptions[] = [
    {
      label: say('action.import'),
      accelerator: 'CmdOrCtrl+O',
      enabled: isUsable,
      click: () => actions.chooseImports('files'),
    },
    ...(isMac
      ? []
      : [
          {
            label: say('action.importFolder'),
            accelerator: 'CmdOrCtrl+Shift+O',
            enabled: isUsable,
            click: () => actions.chooseImports('folder'),
          },
        ]),
  ];
  const menus: MenuItemConstructorOptions[] = [
    ...(isMac ? [appleMenu(settings)] : []),
    {
      label: say('menu.file'),
      submenu: [
        ...importing,
        SEPARATOR,
        ...(isMac
          ? [{ role: 'close' } as const]
          : [
              settings,
              SEPARATOR,
              { role: 'close' } as const,
              { label: say('action.quit'), accelerator: 'CmdOrCtrl+Q', click: () => actions.quit() },
            ]),
      ],
    },
    { label: say('menu.edit'), role: 'editMenu' },
    {
      label: say('menu.view'),
      submenu: [
        { role: 'reload' },
        SEPARATOR,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        SEPARATOR,
        { role: 'togglefullscreen' },
      ],
    },
    {
      label: say('menu.playback'),
      submenu: [
        {
          label: say(isSounding(status) ? 'action.pause' : 'action.play'),
          ...displayOnly('Space'),
          click: () => actions.player('toggle'),
        },
        { label: say('action.next'), ...displayOnly('CmdOrCtrl+Right'), click: () => actions.player('next') },
        { label: say('action.previous'), ...displayOnly('CmdOrCtrl+Left'), click: () => actions.player('previous') },
      ],
    },
    {
      label: say('menu.library'),
      submenu: [
        {
          label: say('action.rescan'),
          accelerator: 'CmdOrCtrl+Shift+R',
          enabled: isUsable,
          click: () => actions.rescan(),
        },
        { label: say('action.identify'), enabled: isUsable, click: () => actions.identify() },
      ],
    },
    {
      label: say('menu.window'),
      role: 'window',
      submenu: [
        { label: say('action.open'), accelerator: 'CmdOrCtrl+1', click: () => actions.open() },
        {
          label: say('action.player'),
          accelerator: 'CmdOrCtrl+2',
          enabled: isUsable,
          click: () => actions.openPlayer(),
        },
        SEPARATOR,
        { role: 'minimize' },
        ...(isMac ? [{ role: 'front' as const }] : []),
      ],
    },
  ];
  if (actions.lookForUpdate)
    menus.push({
      label: say('menu.help'),
      role: 'help',
      submenu: [{ label: say('action.update'), click: actions.lookForUpdate }],
    });
  return menus;
}

const appleMenu = (settings: MenuItemConstructorOptions): MenuItemConstructorOptions => ({
  role: 'appMenu',
  submenu: [
    { role: 'about' },
    SEPARATOR,
    settings,
    SEPARATOR,
    { role: 'services' },
    SEPARATOR,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    SEPARATOR,
    { role: 'quit' },
  ],
});
