// Light, dark or system. The choice is in localStorage, the result on <html data-mantine-color-scheme> (set before the
// first paint by public/scheme.js). Not Mantine's own switch, which inserts a <style> that the CSP refuses.
import { useSyncExternalStore } from 'react';

export const SCHEME_CHOICES = ['system', 'light', 'dark'] as const;
export type SchemeChoice = (typeof SCHEME_CHOICES)[number];
export type Scheme = 'light' | 'dark';

const KEY = 'tonearm.scheme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const isChoice = (value: string | null): value is SchemeChoice => SCHEME_CHOICES.some((choice) => choice === value);

function readSchemeChoice(): SchemeChoice {
  const stored = localStorage.getItem(KEY);
  return isChoice(stored) ? stored : 'system';
}

function resolveScheme(): Scheme {
  const choice = readSchemeChoice();
  if (choice !== 'system') return choice;
  return system.matches ? 'dark' : 'light';
}

function apply(): void {
  document.documentElement.dataset['mantineColorScheme'] = resolveScheme();
  for (const listener of listeners) listener();
}

export function chooseScheme(choice: SchemeChoice): void {
  localStorage.setItem(KEY, choice);
  apply();
}

system.addEventListener('change', apply);
addEventListener('storage', (event) => {
  if (event.key === KEY) apply();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useScheme = (): Scheme => useSyncExternalStore(subscribe, resolveScheme);
export const useSchemeChoice = (): SchemeChoice => useSyncExternalStore(subscribe, readSchemeChoice);
