// What a page may ask of the main process: one map from channel to function. Whatever a browser can do too uses HTTP
// instead. In the other direction there is one channel, `PAGE_MESSAGE`.

/** The state of a page's player. */
export interface PlayerReport {
  status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
  title: string | null;
  artist: string | null;
  album: { id: number; title: string } | null;
  /** Small PNG as a data URL; null while there is none. */
  cover: string | null;
  /** Null when nothing is loaded. */
  isLiked: boolean | null;
  /** Whether the sleep timer runs. */
  isSleeping: boolean;
}

/** The commands that can have a global shortcut. */
export const SHORTCUT_NAMES = ['toggle', 'next', 'previous', 'like'] as const;
export type ShortcutName = (typeof SHORTCUT_NAMES)[number];
/** Shortcuts in Electron's notation, such as `Control+Alt+P`; empty for none. */
export type Shortcuts = Record<ShortcutName, string>;

/** Settings of the app itself; everything else is a setting of the server. */
export interface ShellSettings {
  /** Keep running without a window; the tray opens one. */
  keepRunning: boolean;
  /** Capture media keys also while another app is playing. */
  mediaKeys: boolean;
  /** They work in every program. */
  shortcuts: Shortcuts;
  /** Shortcuts that the system or another program uses already. */
  takenShortcuts: ShortcutName[];
  /** Show a notification for each new track while no window is focused. */
  notifyTracks: boolean;
  /** The player window stays above those of other programs. */
  playerOnTop: boolean;
  /** Check for updates once a day; nothing is downloaded without asking. Null in a copy without a feed. */
  lookForUpdates: boolean | null;
  /** Null where the system does not support it. */
  openAtLogin: boolean | null;
}
export type ShellChange = {
  [Name in Exclude<keyof ShellSettings, 'takenShortcuts'>]?: NonNullable<ShellSettings[Name]>;
};

export interface Channels {
  'app:version': () => string;
  /** The absolute path, or null when cancelled. */
  'dialog:choose-folder': (startIn?: string) => string | null;
  /**
   * The token for creating the first account, so that nobody has to copy it from a terminal; null when there is an
   * account.
   */
  'setup:token': () => string | null;
  /** A one-time sign-in for this window; null when the server cannot give one. */
  'auth:ticket': () => string | null;
  /** Restarts the server. Resolves when it is back, or could not be started. */
  'server:restart': () => void;
  'shell:settings': () => ShellSettings;
  'shell:change': (change: ShellChange) => ShellSettings;
  /** The language the user chose; menus and tray follow. */
  'shell:language': (language: string) => void;
  /** Shows the file of a track in the system's file manager; false when it is not on this computer. */
  'file:show': (trackId: number) => boolean;
  /** Sent on every change. From the first one on the page receives messages. */
  'player:report': (report: PlayerReport) => void;
}

export type Channel = keyof Channels;

/** Name of each channel on the bridge, which pages see as `window.tonearm`. */
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

export type PlayerCommand = ShortcutName | 'pause';
export type ServerState = 'starting' | 'running' | 'restarting';

export type PlayableItem = 'track' | 'album' | 'artist' | 'playlist';

export type PageMessage =
  /** A path of the library window. */
  | { kind: 'open'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'player'; command: PlayerCommand }
  | { kind: 'play'; trackIds: number[] }
  | { kind: 'playItem'; item: PlayableItem; id: number }
  /** The sleep timer of the player; null switches it off. */
  | { kind: 'sleep'; minutes: number | null }
  | { kind: 'server'; state: ServerState };

type BridgeCall<C extends Channel> = (...args: Parameters<Channels[C]>) => Promise<ReturnType<Channels[C]>>;

export type Bridge = { [Name in keyof typeof BRIDGE]: BridgeCall<(typeof BRIDGE)[Name]> } & {
  /** Returns how to stop listening. */
  onMessage(listener: (message: PageMessage) => void): () => void;
};
