// What the stand-in has of Electron, with Electron's own types: test/unit/main/stand-in.test.ts compiles main/ against
// it.
import type * as Electron from 'electron';
import type * as fake from './electron.ts';

/** What both have, as Electron declares it. */
type Both<Real, Fake> = Pick<Real, Extract<keyof Real, keyof Fake>>;

export type WebContents = Omit<Both<Electron.WebContents, fake.FakeContents>, 'navigationHistory'> & {
  navigationHistory: Both<Electron.NavigationHistory, fake.FakeContents['navigationHistory']>;
};
export type BrowserWindow = Omit<Both<Electron.BrowserWindow, fake.BrowserWindow>, 'webContents'> & {
  webContents: WebContents;
};
export type Tray = Both<Electron.Tray, fake.FakeTray>;
export type Notification = Both<Electron.Notification, fake.FakeNotification>;
export type Menu = Omit<Both<Electron.Menu, InstanceType<typeof fake.Menu>>, 'items'> & Electron.Menu;
export type Session = Both<Electron.Session, fake.FakeSession>;
export type IpcMainInvokeEvent = Electron.IpcMainInvokeEvent;
export type IpcRendererEvent = Electron.IpcRendererEvent;
export type MenuItemConstructorOptions = Electron.MenuItemConstructorOptions;

type Windows = {
  new (options?: Electron.BrowserWindowConstructorOptions): BrowserWindow;
  fromWebContents(page: WebContents): BrowserWindow | null;
  getAllWindows(): BrowserWindow[];
  getFocusedWindow(): BrowserWindow | null;
};
export declare const BrowserWindow: Both<Windows, typeof fake.BrowserWindow> &
  (new (options?: Electron.BrowserWindowConstructorOptions) => BrowserWindow);
export declare const Tray: new (image: Electron.NativeImage | string) => Tray;
export declare const Notification: Both<typeof Electron.Notification, typeof fake.Notification> &
  (new (options?: Electron.NotificationConstructorOptions) => Notification);

export declare const app: Omit<Both<Electron.App, typeof fake.app>, 'dock' | 'commandLine'> & {
  dock?: Both<Electron.Dock, typeof fake.app.dock>;
  commandLine: Both<Electron.CommandLine, typeof fake.app.commandLine>;
};
export declare const dialog: Omit<Both<Electron.Dialog, typeof fake.dialog>, 'showOpenDialog'> & {
  showOpenDialog(window: BrowserWindow, options: Electron.OpenDialogOptions): Promise<Electron.OpenDialogReturnValue>;
  showOpenDialog(options: Electron.OpenDialogOptions): Promise<Electron.OpenDialogReturnValue>;
};
export declare const clipboard: Both<Electron.Clipboard, typeof fake.clipboard>;
export declare const powerSaveBlocker: Both<Electron.PowerSaveBlocker, typeof fake.powerSaveBlocker>;
export declare const crashReporter: Both<Electron.CrashReporter, typeof fake.crashReporter>;
export declare const globalShortcut: Both<Electron.GlobalShortcut, typeof fake.globalShortcut>;
export declare const ipcMain: Both<Electron.IpcMain, typeof fake.ipcMain>;
export declare const ipcRenderer: Both<Electron.IpcRenderer, typeof fake.ipcRenderer>;
export declare const contextBridge: Both<Electron.ContextBridge, typeof fake.contextBridge>;
export declare const Menu: Both<typeof Electron.Menu, typeof fake.Menu>;
export declare const nativeImage: Both<typeof Electron.nativeImage, typeof fake.nativeImage>;
export declare const nativeTheme: Both<Electron.NativeTheme, typeof fake.nativeTheme>;
export declare const powerMonitor: Both<Electron.PowerMonitor, typeof fake.powerMonitor>;
export declare const screen: Both<Electron.Screen, typeof fake.screen>;
export declare const session: { defaultSession: Session };
export declare const shell: Both<Electron.Shell, typeof fake.shell>;
export declare const utilityProcess: Both<typeof Electron.utilityProcess, typeof fake.utilityProcess>;
