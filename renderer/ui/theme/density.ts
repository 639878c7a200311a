// The height of rows in lists and tables. The choice is stored in the browser and on <html data-density> (set before
// the first paint by public/scheme.js), where tokens.css reads it. Touch screens always have the highest rows.
import { useSyncExternalStore } from 'react';
import { DENSITIES, ROW_HEIGHTS, type Density } from '../lists/row-heights.ts';
import { asWord, storedChoice } from '../../stored-choice.ts';

const choice = storedChoice<Density>({
  name: 'density',
  key: 'tonearm.density',
  initial: 'comfortable',
  ...asWord(DENSITIES),
});
const coarse = matchMedia('(pointer: coarse)');
const listeners = new Set<() => void>();

function apply(): void {
  document.documentElement.dataset['density'] = choice.get();
  for (const listener of listeners) listener();
}

export const chooseDensity = (density: Density): void => choice.set(density);

coarse.addEventListener('change', apply);
choice.onChange(apply);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useDensity = choice.use;
export const useRowHeight = (): number =>
  useSyncExternalStore(subscribe, () => ROW_HEIGHTS[coarse.matches ? 'comfortable' : choice.get()]);
