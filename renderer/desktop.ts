// The only reader of the bridge that Electron's preload adds. In a browser there is none, and what needs it is not shown.

export interface DesktopBridge {
  pickFolder(startIn?: string): Promise<string | null>;
  /** What the first account is made with; a browser's user copies it from the terminal instead. */
  setupToken(): Promise<string | null>;
}

export const desktop: DesktopBridge | null = (globalThis as { tonearm?: DesktopBridge }).tonearm ?? null;
