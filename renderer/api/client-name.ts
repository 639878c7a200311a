// What this browser is called where a person sees several of theirs: "Firefox on Linux". Two of the same name are told
// apart by a few letters of their own.
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

/** Its name with its letters, for comparing. */
export function clientId(): string {
  let letters = localStorage.getItem(KEY);
  if (letters === null) {
    letters = Math.random().toString(36).slice(2, 6);
    localStorage.setItem(KEY, letters);
  }
  return `${clientName()} #${letters}`;
}

/** The name alone, as it is shown. */
export const shownName = (client: string): string => client.replace(/ #\w+$/, '');
