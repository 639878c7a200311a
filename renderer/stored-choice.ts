// What this browser keeps of the choices made in it, across reloads and for all of its windows. A text that cannot be
// understood is put aside under another name before anything is written over it, and told. Where nothing can be kept
// (storage is full or not allowed), a choice holds until the page is closed.
import { useSyncExternalStore } from 'react';
import type texts from '../resources/languages/en.json';

export interface StoredChoice<T> {
  get: () => T;
  /** Undefined: as if nothing had been chosen. */
  set: (value: T | undefined) => void;
  /** Calls back after every change, also of another window; returns how to unsubscribe. */
  onChange: (listener: () => void) => () => void;
  use: () => T;
}

/** As in the language files. */
type ChoiceName = Exclude<keyof (typeof texts)['storedChoice'], 'damaged'>;

interface StoredChoiceOptions<T> {
  name: ChoiceName;
  /** In localStorage; a function where it depends on who is signed in. */
  key: string | (() => string);
  initial: T;
  /** Undefined for a text that means nothing. */
  read: (text: string) => T | undefined;
  write: (value: T) => string;
}

/** What could not be read since the page was opened and was not told. */
const damaged = new Set<ChoiceName>();
const damageListeners = new Set<() => void>();

export function storedChoice<T>({ name, key, initial, read, write }: StoredChoiceOptions<T>): StoredChoice<T> {
  const listeners = new Set<() => void>();
  /** Values that could not be stored, by key. */
  const unstored = new Map<string, T>();
  let latest: { key: string; text: string | null; value: T } | undefined;
  const keyNow = (): string => (typeof key === 'string' ? key : key());
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  function get(): T {
    const at = keyNow();
    if (unstored.has(at)) return unstored.get(at) as T;
    const text = textAt(at);
    if (latest?.key !== at || latest.text !== text) latest = { key: at, text, value: valueOf(at, text) };
    return latest.value;
  }

  function valueOf(at: string, text: string | null): T {
    if (text === null) return initial;
    const value = read(text);
    if (value !== undefined) return value;
    store(`${at}.damaged`, text);
    damaged.add(name);
    queueMicrotask(() => damageListeners.forEach((listener) => listener())); // this may be read while React renders
    return initial;
  }

  function set(value: T | undefined): void {
    const at = keyNow();
    get(); // what cannot be read is put aside first
    const text = value === undefined ? null : write(value);
    if (store(at, text)) {
      unstored.delete(at);
      latest = { key: at, text, value: value ?? initial };
    } else {
      store(at, null);
      unstored.set(at, value ?? initial);
    }
    tell();
  }

  const onStorage = ({ key: changed }: StorageEvent): void => {
    if (changed === keyNow() || changed === null) tell();
  };

  function onChange(listener: () => void): () => void {
    if (listeners.size === 0) addEventListener('storage', onStorage);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) removeEventListener('storage', onStorage);
    };
  }
  return { get, set, onChange, use: () => useSyncExternalStore(onChange, get) };
}

/** For choices that are kept as JSON: `read` gets what it says. */
export const asJson = <T>(read: (value: unknown) => T | undefined) => ({
  read: (text: string): T | undefined => {
    const value = jsonOf(text);
    return value === undefined ? undefined : read(value);
  },
  write: (value: T): string => JSON.stringify(value),
});

/** For choices that are one of a few words. */
export const asWord = <T extends string>(words: readonly T[]) => ({
  read: (text: string): T | undefined => words.find((word) => word === text),
  write: (value: T): string => value,
});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Null where storage is not allowed, too. */
function textAt(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/** False where it is full or not allowed. */
function store(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** Calls back at once and later with the names of what could not be read, each once. */
export function onDamagedChoices(listener: (names: readonly ChoiceName[]) => void): () => void {
  const tellDamaged = (): void => {
    if (damaged.size === 0) return;
    const names = [...damaged];
    damaged.clear();
    listener(names);
  };
  damageListeners.add(tellDamaged);
  tellDamaged();
  return () => void damageListeners.delete(tellDamaged);
}
