// What was searched for lately, by account: in the browser only.
import { useSyncExternalStore } from 'react';
import { getSession } from '../../api/session.ts';

const MOST = 8;
const listeners = new Set<() => void>();
const keyNow = (): string => `tonearm.searches.${getSession()?.user.id ?? ''}`;
let read: { stored: string | null; texts: readonly string[] } = { stored: null, texts: [] };

function recent(): readonly string[] {
  const stored = localStorage.getItem(keyNow());
  if (stored !== read.stored) read = { stored, texts: parse(stored) };
  return read.texts;
}

function parse(stored: string | null): readonly string[] {
  try {
    const texts: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function keep(texts: readonly string[]): void {
  localStorage.setItem(keyNow(), JSON.stringify(texts));
  for (const listener of listeners) listener();
}

/** The latest first. */
export function rememberSearch(text: string): void {
  const q = text.trim();
  if (q !== '') keep([q, ...recent().filter((one) => one.toLowerCase() !== q.toLowerCase())].slice(0, MOST));
}

export const forgetSearches = (): void => keep([]);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useRecentSearches = (): readonly string[] => useSyncExternalStore(subscribe, recent);
