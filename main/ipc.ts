// The functions of the main process that pages may call, one per channel. For everything that a browser can do too,
// pages use HTTP. In the other direction there is one channel, `PAGE_MESSAGE`.

/** The state of a page's player. */
export interface PlayerReport {
  status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
  title: string | null;
  artist: string | null;
  album: { id: number; title: string } | null;
  /** A small PNG as a data URL; null while nothing with a cover is loaded. */
  cover: string | null;
  /** Null while no track is loaded. */
  isLiked: boolean | null;
  /** Whether the sleep timer runs. */
  isSleeping: boolean;
}

/** The commands that can have a global shortcut. */
export const SHORTCUT_NAMES = ['toggle', 'next', 'previous', 'like'] as const;
export type ShortcutName = (typeof SHORTCUT_NAMES)[number];
/** Shortcuts in Electron's notation, such as `Control+Alt+P`; empty for no shortcut. */
export type Shortcuts = Record<ShortcutName, string>;

/** Settings of the app itself; all other settings are the server's. */
export interface ShellSettings {
  /** Whether the app keeps running without a window; the tray opens windows. */
  keepRunning: boolean;
  /** Whether media keys are captured even while another app plays. */
  mediaKeys: boolean;
  /** Shortcuts that work in every program. */
  shortcuts: Shortcuts;
  /** Shortcuts that the system or another program already uses. */
  takenShortcuts: ShortcutName[];
  /** Whether each new track is announced by a notification while no window is focused. */
  notifyTracks: boolean;
  /** Whether the player window stays above those of other programs. */
  playerOnTop: boolean;
  /**
   * Whether the app checks for updates once a day; nothing is downloaded without asking. Null in a copy without an
   * update feed.
   */
  lookForUpdates: boolean | null;
  /** Whether the system starts the app at login; null if the system does not support this. */
  openAtLogin: boolean | null;
}
export type ShellChange = {
  [Name in Exclude<keyof ShellSettings, 'takenShortcuts'>]?: NonNullable<ShellSettings[Name]>;
};

export interface Channels {
  'app:version': () => string;
  /** Resolves to the name of this computer, for the list of devices. */
  'app:host-name': () => string;
  /** Asks for a folder; resolves to its absolute path, or null if cancelled. */
  'dialog:choose-folder': (startIn?: string) => string | null;
  /**
   * Resolves to the token for creating the first account, which a browser user copies from the terminal; null if an
   * account exists.
   */
  'setup:token': () => string | null;
  /** Resolves to a one-time ticket that signs this window in; null if the server cannot create one. */
  'auth:ticket': () => string | null;
  /** Restarts the server. Resolves when the server is back, or could not be started. */
  'server:restart': () => void;
  'shell:settings': () => ShellSettings;
  'shell:change': (change: ShellChange) => ShellSettings;
  /** Sets the language of menus and tray to the one chosen in a page. */
  'shell:language': (language: string) => void;
  /** Shows the file of a track in the system's file manager; false if the file is not on this computer. */
  'file:show': (trackId: number) => boolean;
  /** Reports every change of the player. The page receives messages once it has sent a report. */
  'player:report': (report: PlayerReport) => void;
}

export type Channel = keyof Channels;

/** Function name of each channel on the bridge, which pages see as `window.tonearm`. */
export const BRIDGE = {
  version: 'app:version',
  hostName: 'app:host-name',
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
  /** Opens a path in the library window. */
  | { kind: 'open'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'player'; command: PlayerCommand }
  | { kind: 'play'; trackIds: number[] }
  | { kind: 'playItem'; item: PlayableItem; id: number }
  /** Sets the player's sleep timer; null switches it off. */
  | { kind: 'sleep'; minutes: number | null }
  | { kind: 'server'; state: ServerState };

type BridgeCall<C extends Channel> = (...args: Parameters<Channels[C]>) => Promise<ReturnType<Channels[C]>>;

export type Bridge = { [Name in keyof typeof BRIDGE]: BridgeCall<(typeof BRIDGE)[Name]> } & {
  /** Calls the listener for each message; returns the function that unsubscribes. */
  onMessage(listener: (message: PageMessage) => void): () => void;
};
