// What a page may ask of the shell: one map from channel to function. Whatever a browser could do too goes over HTTP instead.

export interface Channels {
  'app:version': () => string;
  /** The folder's absolute path, or null when none was chosen. */
  'dialog:choose-folder': (startIn?: string) => string | null;
  /** What the first account is made with, so that nobody has to copy it from a terminal; null when there is no need for one. */
  'setup:token': () => string | null;
}

export type Channel = keyof Channels;

/** Name of each channel on the bridge that pages see as `window.tonearm`. */
export const BRIDGE = {
  version: 'app:version',
  pickFolder: 'dialog:choose-folder',
  setupToken: 'setup:token',
} as const satisfies Record<string, Channel>;

type Asked<C extends Channel> = (...args: Parameters<Channels[C]>) => Promise<ReturnType<Channels[C]>>;

export type Bridge = { [Name in keyof typeof BRIDGE]: Asked<(typeof BRIDGE)[Name]> };
