// How high the rows of lists and tables are. The choice is in localStorage and on <html data-density> (set before the
// first paint by public/scheme.js), where tokens.css reads it. Fingers always get the highest rows.
import { useSyncExternalStore } from 'react';
import { DENSITIES, ROW_HEIGHTS, type Density } from './row-heights.ts';

const KEY = 'tonearm.density';
const coarse = matchMedia('(pointer: coarse)');
const listeners = new Set<() => void>();

function readDensity(): Density {
  const stored = localStorage.getItem(KEY);
  return DENSITIES.find((density) => density === stored) ?? 'comfortable';
}

function apply(): void {
  document.documentElement.dataset['density'] = readDensity();
  for (const listener of listeners) listener();
}

export function chooseDensity(density: Density): void {
  localStorage.setItem(KEY, density);
  apply();
}

coarse.addEventListener('change', apply);
addEventListener('storage', (event) => {
  if (event.key === KEY) apply();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useDensity = (): Density => useSyncExternalStore(subscribe, readDensity);
export const useRowHeight = (): number =>
  useSyncExternalStore(subscribe, () => ROW_HEIGHTS[coarse.matches ? 'comfortable' : readDensity()]);
