// The light, dark or system theme. The choice is stored in the browser, the resulting theme on <html
// data-mantine-color-scheme> (set before the first paint by public/scheme.js). Mantine's own switch is not used,
// because it inserts a <style> that the CSP blocks.
import { useSyncExternalStore } from 'react';
import { asWord, storedChoice } from '../../stored-choice.ts';

export const SCHEME_CHOICES = ['system', 'light', 'dark'] as const;
export type SchemeChoice = (typeof SCHEME_CHOICES)[number];
export type Scheme = 'light' | 'dark';

const choice = storedChoice<SchemeChoice>({
  name: 'scheme',
  key: 'tonearm.scheme',
  initial: 'system',
  ...asWord(SCHEME_CHOICES),
});
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function resolveScheme(): Scheme {
  const chosenScheme = choice.get();
  if (chosenScheme !== 'system') return chosenScheme;
  return system.matches ? 'dark' : 'light';
}

function apply(): void {
  document.documentElement.dataset['mantineColorScheme'] = resolveScheme();
  for (const listener of listeners) listener();
}

export const chooseScheme = (scheme: SchemeChoice): void => choice.set(scheme);

system.addEventListener('change', apply);
choice.onChange(apply);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useScheme = (): Scheme => useSyncExternalStore(subscribe, resolveScheme);
export const useSchemeChoice = choice.use;
