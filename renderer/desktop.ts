// The bridge that Electron's preload script adds; nothing else reads it. Null in a browser, where what needs it is not
// shown.

export interface PlayerReport {
  status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
  title: string | null;
  artist: string | null;
  album: { id: number; title: string } | null;
  /** Small PNG as a data URL; null while there is none. */
  cover: string | null;
  isLiked: boolean | null;
  isSleeping: boolean;
}

/** What a global shortcut can be chosen for. */
export const SHORTCUT_NAMES = ['toggle', 'next', 'previous', 'like'] as const;
export type ShortcutName = (typeof SHORTCUT_NAMES)[number];

/** Settings of the app itself; null where the system, or this copy of the app, does not support it. */
export interface DesktopSettings {
  keepRunning: boolean;
  mediaKeys: boolean;
  /** Such as `Control+Alt+P`; empty for none. */
  shortcuts: Record<ShortcutName, string>;
  /** Those that the system or another program has already. */
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
  /** The sleep timer; null switches it off. */
  | { kind: 'sleep'; minutes: number | null }
  | { kind: 'server'; state: 'starting' | 'running' | 'restarting' };

export interface DesktopBridge {
  pickFolder(startIn?: string): Promise<string | null>;
  /** The token for creating the first account; in a browser the user copies it from the terminal. */
  setupToken(): Promise<string | null>;
  /** Signs this window in, once. */
  signInTicket(): Promise<string | null>;
  /** Restarts the server; resolves when it is back, or could not be started. */
  restartServer(): Promise<void>;
  settings(): Promise<DesktopSettings>;
  changeSettings(change: DesktopChange): Promise<DesktopSettings>;
  tellLanguage(language: string): Promise<void>;
  /** Shows the file of a track in the system's file manager; false when it is not on this computer. */
  showFile(trackId: number): Promise<boolean>;
  /** Also marks this page as listening to messages. */
  reportPlayer(report: PlayerReport): Promise<void>;
  onMessage(listener: (message: DesktopMessage) => void): () => void;
}

export const desktop: DesktopBridge | null = (globalThis as { tonearm?: DesktopBridge }).tonearm ?? null;

/** What only pages of the library can follow. */
type PageMessage = Exclude<DesktopMessage, { kind: 'player' | 'sleep' }>;
let follow: ((message: PageMessage) => void) | undefined;
const waiting: PageMessage[] = [];
desktop?.onMessage((message) => {
  if (message.kind === 'player' || message.kind === 'sleep') return; // for the player, see windows/desktop-controls.tsx
  if (follow) follow(message);
  else if (message.kind !== 'server') waiting.push(message);
});

/** Messages that came before, during set-up or sign-in, are followed now. Returns how to stop. */
export function followDesktop(listener: (message: PageMessage) => void): () => void {
  follow = listener;
  waiting.splice(0).forEach(listener);
  return () => {
    if (follow === listener) follow = undefined;
  };
}
