// What browsers are called. This one has a name where a user sees several of theirs, such as "Firefox on Linux", and a
// short random suffix, which tells two of the same name apart.
import { storedChoice } from '../stored-choice.ts';

const suffix = storedChoice({
  name: 'client',
  key: 'tonearm.client',
  initial: '',
  read: (text) => text,
  write: (text) => text,
});
/** Browsers name each other, and so do systems: the order counts. */
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

/** For programs that are no browsers the first word: `curl/8.5.0`. Undefined when nothing was said. */
export function nameOf(userAgent: string | null, between = ' on '): string | undefined {
  if (!userAgent) return undefined;
  const names = [findName(BROWSERS, userAgent), findName(SYSTEMS, userAgent)].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(between) : userAgent.split(' ')[0];
}

export const clientName = (): string => nameOf(navigator.userAgent) ?? 'Browser';

/** The name with its suffix, for comparing. */
export function clientId(): string {
  if (suffix.get() === '') suffix.set(Math.random().toString(36).slice(2, 6));
  return `${clientName()} #${suffix.get()}`;
}

/** The name without its suffix, for display. */
export const shownName = (client: string): string => client.replace(/ #\w+$/, '');
