// The bridge that Electron's preload script adds, which no other file reads. Null in a browser, where the controls that
// need the bridge are hidden.

export interface PlayerReport {
  status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
  title: string | null;
  artist: string | null;
  album: { id: number; title: string } | null;
  /** A small PNG as a data URL; null while nothing with a cover is loaded. */
  cover: string | null;
  isLiked: boolean | null;
  isSleeping: boolean;
}

/** Player commands for which a global shortcut can be chosen. */
export const SHORTCUT_NAMES = ['toggle', 'next', 'previous', 'like'] as const;
export type ShortcutName = (typeof SHORTCUT_NAMES)[number];

/** Settings of the app itself; null for a setting that the system or this copy of the app does not support. */
export interface DesktopSettings {
  keepRunning: boolean;
  mediaKeys: boolean;
  /** Shortcuts in Electron's notation, such as `Control+Alt+P`; empty for none. */
  shortcuts: Record<ShortcutName, string>;
  /** Names of the shortcuts that the system or another program already uses. */
  takenShortcuts: ShortcutName[];
  playerOnTop: boolean;
  notifyTracks: boolean;
  lookForUpdates: boolean | null;
  openAtLogin: boolean | null;
}
export type DesktopChange = {
  [Name in Exclude<keyof DesktopSettings, 'takenShortcuts'>]?: NonNullable<DesktopSettings[Name]>;
};

/** Messages from the main process to its pages. */
export type DesktopMessage =
  | { kind: 'open'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'player'; command: ShortcutName | 'pause' }
  | { kind: 'play'; trackIds: number[] }
  | { kind: 'playItem'; item: 'track' | 'album' | 'artist' | 'playlist'; id: number }
  /** Sets the sleep timer; null switches it off. */
  | { kind: 'sleep'; minutes: number | null }
  | { kind: 'server'; state: 'starting' | 'running' | 'restarting' };

export interface DesktopBridge {
  pickFolder(startIn?: string): Promise<string | null>;
  /** Returns the token for creating the first account; in a browser the user copies it from the terminal. */
  setupToken(): Promise<string | null>;
  /** Returns a one-time ticket that signs this window in. */
  signInTicket(): Promise<string | null>;
  /** Restarts the server. Resolves when the server is back, or could not be started. */
  restartServer(): Promise<void>;
  settings(): Promise<DesktopSettings>;
  changeSettings(change: DesktopChange): Promise<DesktopSettings>;
  /** Returns the name of this computer. */
  hostName(): Promise<string>;
  tellLanguage(language: string): Promise<void>;
  /** Shows the file of a track in the system's file manager; false if the file is not on this computer. */
  showFile(trackId: number): Promise<boolean>;
  /** Reports the player's state. The first report also tells the app that this page listens to messages. */
  reportPlayer(report: PlayerReport): Promise<void>;
  onMessage(listener: (message: DesktopMessage) => void): () => void;
}

export const desktop: DesktopBridge | null = (globalThis as { tonearm?: DesktopBridge }).tonearm ?? null;

/** Messages that only pages of the library window handle. */
type PageMessage = Exclude<DesktopMessage, { kind: 'player' | 'sleep' }>;
let follow: ((message: PageMessage) => void) | undefined;
const waiting: PageMessage[] = [];
desktop?.onMessage((message) => {
  if (message.kind === 'player' || message.kind === 'sleep') return; // windows/desktop-controls.tsx handles these
  if (follow) follow(message);
  else if (message.kind !== 'server') waiting.push(message);
});

/**
 * Calls the listener for each message, first for those that arrived during setup or sign-in. Returns the function that
 * unsubscribes.
 */
export function followDesktop(listener: (message: PageMessage) => void): () => void {
  follow = listener;
  waiting.splice(0).forEach(listener);
  return () => {
    if (follow === listener) follow = undefined;
  };
}
