// The part of Electron that the fake implements, with Electron's own types: test/unit/main/stand-in.test.ts compiles
// main/ against it.
import type * as Electron from 'electron';
import type * as fake from './electron.ts';

/** The members that both have, with Electron's types. */
type SharedMembers<Real, Fake> = Pick<Real, Extract<keyof Real, keyof Fake>>;

export type WebContents = Omit<SharedMembers<Electron.WebContents, fake.FakeContents>, 'navigationHistory'> & {
  navigationHistory: SharedMembers<Electron.NavigationHistory, fake.FakeContents['navigationHistory']>;
};
export type BrowserWindow = Omit<SharedMembers<Electron.BrowserWindow, fake.BrowserWindow>, 'webContents'> & {
  webContents: WebContents;
};
export type Tray = SharedMembers<Electron.Tray, fake.FakeTray>;
export type Notification = SharedMembers<Electron.Notification, fake.FakeNotification>;
export type Menu = Omit<SharedMembers<Electron.Menu, InstanceType<typeof fake.Menu>>, 'items'> & Electron.Menu;
export type Session = SharedMembers<Electron.Session, fake.FakeSession>;
export type IpcMainInvokeEvent = Electron.IpcMainInvokeEvent;
export type IpcRendererEvent = Electron.IpcRendererEvent;
export type MenuItemConstructorOptions = Electron.MenuItemConstructorOptions;

type Windows = {
  new (options?: Electron.BrowserWindowConstructorOptions): BrowserWindow;
  fromWebContents(page: WebContents): BrowserWindow | null;
  getAllWindows(): BrowserWindow[];
  getFocusedWindow(): BrowserWindow | null;
};
export declare const BrowserWindow: SharedMembers<Windows, typeof fake.BrowserWindow> &
  (new (options?: Electron.BrowserWindowConstructorOptions) => BrowserWindow);
export declare const Tray: new (image: Electron.NativeImage | string) => Tray;
export declare const Notification: SharedMembers<typeof Electron.Notification, typeof fake.Notification> &
  (new (options?: Electron.NotificationConstructorOptions) => Notification);

export declare const app: Omit<SharedMembers<Electron.App, typeof fake.app>, 'dock' | 'commandLine'> & {
  dock?: SharedMembers<Electron.Dock, typeof fake.app.dock>;
  commandLine: SharedMembers<Electron.CommandLine, typeof fake.app.commandLine>;
};
export declare const dialog: Omit<SharedMembers<Electron.Dialog, typeof fake.dialog>, 'showOpenDialog'> & {
  showOpenDialog(window: BrowserWindow, options: Electron.OpenDialogOptions): Promise<Electron.OpenDialogReturnValue>;
  showOpenDialog(options: Electron.OpenDialogOptions): Promise<Electron.OpenDialogReturnValue>;
};
export declare const clipboard: SharedMembers<Electron.Clipboard, typeof fake.clipboard>;
export declare const powerSaveBlocker: SharedMembers<Electron.PowerSaveBlocker, typeof fake.powerSaveBlocker>;
export declare const crashReporter: SharedMembers<Electron.CrashReporter, typeof fake.crashReporter>;
export declare const globalShortcut: SharedMembers<Electron.GlobalShortcut, typeof fake.globalShortcut>;
export declare const ipcMain: SharedMembers<Electron.IpcMain, typeof fake.ipcMain>;
export declare const ipcRenderer: SharedMembers<Electron.IpcRenderer, typeof fake.ipcRenderer>;
export declare const contextBridge: SharedMembers<Electron.ContextBridge, typeof fake.contextBridge>;
export declare const Menu: SharedMembers<typeof Electron.Menu, typeof fake.Menu>;
export declare const nativeImage: SharedMembers<typeof Electron.nativeImage, typeof fake.nativeImage>;
export declare const nativeTheme: SharedMembers<Electron.NativeTheme, typeof fake.nativeTheme>;
export declare const powerMonitor: SharedMembers<Electron.PowerMonitor, typeof fake.powerMonitor>;
export declare const screen: SharedMembers<Electron.Screen, typeof fake.screen>;
export declare const session: { defaultSession: Session };
export declare const shell: SharedMembers<Electron.Shell, typeof fake.shell>;
export declare const utilityProcess: SharedMembers<typeof Electron.utilityProcess, typeof fake.utilityProcess>;
