// What a page may ask of the shell: one map from channel to function. Whatever a browser could do too goes over HTTP
// instead. The other way there is one channel, `PAGE_MESSAGE`, over which the shell tells a page what to do.

/** What a page's player is at. */
export interface PlayerReport {
  status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
  title: string | null;
  artist: string | null;
}

/** What a person chooses about the app itself; everything else is a setting of the server. */
export interface ShellSettings {
  /** Go on without any window; the tray brings one back. */
  keepRunning: boolean;
  /** Media keys are this app's also while another one plays. */
  mediaKeys: boolean;
  /** Look for a newer version once a day; nothing is fetched before somebody says yes. */
  lookForUpdates: boolean;
  /** Null where the system does not let an app say so. */
  openAtLogin: boolean | null;
}
export type ShellChange = { [Name in keyof ShellSettings]?: NonNullable<ShellSettings[Name]> };

export interface Channels {
  'app:version': () => string;
  /** The folder's absolute path, or null when none was chosen. */
  'dialog:choose-folder': (startIn?: string) => string | null;
  /**
   * What the first account is made with, so that nobody has to copy it from a terminal; null when there is no need for
   * one.
   */
  'setup:token': () => string | null;
  /** Signs this window in at the server, once; null when the server has none to give. */
  'auth:ticket': () => string | null;
  /** Ends the server and starts it anew. Answers when it is back, or could not be brought up. */
  'server:restart': () => void;
  'shell:settings': () => ShellSettings;
  'shell:change': (change: ShellChange) => ShellSettings;
  /** The language that the person chose; menus and tray follow. */
  'shell:language': (language: string) => void;
  /** Shows the file of a track in the system's file manager; false when it is not on this computer. */
  'file:show': (trackId: number) => boolean;
  /** Told whenever it changes. A page that has told this once also listens to messages. */
  'player:report': (report: PlayerReport) => void;
}

export type Channel = keyof Channels;

/** Name of each channel on the bridge that pages see as `window.tonearm`. */
export const BRIDGE = {
  version: 'app:version',
  pickFolder: 'dialog:choose-folder',
  setupToken: 'setup:token',
  signInTicket: 'auth:ticket',
  restartServer: 'server:restart',
  settings: 'shell:settings',
  changeSettings: 'shell:change',
  tellLanguage: 'shell:language',
  showFile: 'file:show',
  reportPlayer: 'player:report',
} as const satisfies Record<string, Channel>;

export const PAGE_MESSAGE = 'page-message';

export type PlayerCommand = 'toggle' | 'pause' | 'next' | 'previous';
export type ServerState = 'starting' | 'running' | 'restarting';

export type PageMessage =
  /** A path of the library window. */
  | { kind: 'open'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'player'; command: PlayerCommand }
  | { kind: 'play'; trackIds: number[] }
  | { kind: 'server'; state: ServerState };

type Asked<C extends Channel> = (...args: Parameters<Channels[C]>) => Promise<ReturnType<Channels[C]>>;

export type Bridge = { [Name in keyof typeof BRIDGE]: Asked<(typeof BRIDGE)[Name]> } & {
  /** Gives back how to stop listening. */
  onMessage(listener: (message: PageMessage) => void): () => void;
};
