// What a User-Agent is called: the browser and the system. Pure. Browsers name each other, so the order counts.
const BROWSERS: readonly [RegExp, string][] = [
  [/\bElectron\//, 'Tonearm'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (names: readonly [RegExp, string][], agent: string): string | undefined =>
  names.find(([sign]) => sign.test(agent))?.[1];

/** `Firefox, Linux`; for programs the first word: `curl/8.5.0`. Undefined when nothing was said. */
export function clientName(agent: string | null): string | undefined {
  if (!agent) return undefined;
  const named = [nameIn(BROWSERS, agent), nameIn(SYSTEMS, agent)].filter((name) => name !== undefined);
  return named.length > 0 ? named.join(', ') : agent.split(' ')[0];
}
