// Names of browsers, such as "Firefox on Linux". The id of this browser adds a short random suffix, which distinguishes
// two browsers of the same name.
import { storedChoice } from '../stored-choice.ts';

const suffix = storedChoice({
  name: 'client',
  key: 'tonearm.client',
  initial: '',
  read: (text) => text,
  write: (text) => text,
});
/**
 * A user agent also contains the names of compatible browsers, and of compatible systems, so the first match counts.
 */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bElectron\//, 'Tonearm'],
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const findName = (names: readonly [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/**
 * Returns the display name for a user agent; for programs that are not browsers its first word, such as `curl/8.5.0`.
 * Undefined without a user agent.
 */
export function nameOf(userAgent: string | null, between = ' on '): string | undefined {
  if (!userAgent) return undefined;
  const names = [findName(BROWSERS, userAgent), findName(SYSTEMS, userAgent)].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(between) : userAgent.split(' ')[0];
}

export const clientName = (): string => nameOf(navigator.userAgent) ?? 'Browser';

/** Returns the name with its suffix, for comparing clients. */
export function clientId(): string {
  if (suffix.get() === '') suffix.set(Math.random().toString(36).slice(2, 6));
  return `${clientName()} #${suffix.get()}`;
}

/** Returns a client's name without its suffix, for display. */
export const shownName = (client: string): string => client.replace(/ #\w+$/, '');
