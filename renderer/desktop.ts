// The only reader of the bridge that Electron's preload adds. In a browser there is none, and what needs it is not
// shown.

/** What a person chooses about the app itself; `openAtLogin` is null where the system does not let an app say so. */
export interface DesktopSettings {
  keepRunning: boolean;
  mediaKeys: boolean;
  lookForUpdates: boolean;
  openAtLogin: boolean | null;
}
export type DesktopChange = { [Name in keyof DesktopSettings]?: NonNullable<DesktopSettings[Name]> };

/** What the shell tells its pages. */
export type DesktopMessage =
  | { kind: 'open'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'player'; command: 'toggle' | 'pause' | 'next' | 'previous' }
  | { kind: 'play'; trackIds: number[] }
  | { kind: 'server'; state: 'starting' | 'running' | 'restarting' };

export interface DesktopBridge {
  pickFolder(startIn?: string): Promise<string | null>;
  /** What the first account is made with; a browser's user copies it from the terminal instead. */
  setupToken(): Promise<string | null>;
  /** Signs this window in, once. */
  signInTicket(): Promise<string | null>;
  /** Ends the server and starts it anew; resolves when it is back, or could not be brought up. */
  restartServer(): Promise<void>;
  settings(): Promise<DesktopSettings>;
  changeSettings(change: DesktopChange): Promise<DesktopSettings>;
  tellLanguage(language: string): Promise<void>;
  /** Shows the file of a track in the system's file manager; false when it is not on this computer. */
  showFile(trackId: number): Promise<boolean>;
  /** Also says that this page listens to messages from now on. */
  reportPlayer(report: {
    status: 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
    title: string | null;
    artist: string | null;
  }): Promise<void>;
  onMessage(listener: (message: DesktopMessage) => void): () => void;
}

export const desktop: DesktopBridge | null = (globalThis as { tonearm?: DesktopBridge }).tonearm ?? null;
