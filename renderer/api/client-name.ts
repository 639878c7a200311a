// The name of this browser where a user sees several of theirs, such as "Firefox on Linux". A short random suffix tells
// two of the same name apart.
const KEY = 'tonearm.client';
const BROWSERS: [RegExp, string][] = [
  [/Electron\//, 'Tonearm'],
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
];

const find = (names: readonly [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1];

export const nameOf = (userAgent: string): string =>
  [find(BROWSERS, userAgent) ?? 'Browser', find(SYSTEMS, userAgent)].filter(Boolean).join(' on ');

export const clientName = (): string => nameOf(navigator.userAgent);

/** The name with its suffix, for comparing. */
export function clientId(): string {
  let letters = localStorage.getItem(KEY);
  if (letters === null) {
    letters = Math.random().toString(36).slice(2, 6);
    localStorage.setItem(KEY, letters);
  }
  return `${clientName()} #${letters}`;
}

/** The name without its suffix, for display. */
export const shownName = (client: string): string => client.replace(/ #\w+$/, '');
