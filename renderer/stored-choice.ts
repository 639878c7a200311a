// Choices that this browser keeps across reloads and for all of its windows. A text that cannot be parsed is saved
// under another name before it is overwritten, and the user is told. Without storage (full or forbidden), a choice is
// kept until the page is closed.
import { useSyncExternalStore } from 'react';
import type texts from '../resources/languages/en.json';

export interface StoredChoice<T> {
  get: () => T;
  /** Stores a value; undefined removes the choice. */
  set: (value: T | undefined) => void;
  /** Calls back after every change, also in another window; returns the function that unsubscribes. */
  onChange: (listener: () => void) => () => void;
  use: () => T;
}

/** Name of the choice in the language files. */
type ChoiceName = Exclude<keyof (typeof texts)['storedChoice'], 'damaged'>;

interface StoredChoiceOptions<T> {
  name: ChoiceName;
  /** Key in localStorage; a function if it depends on the signed-in user. */
  key: string | (() => string);
  initial: T;
  /** Parses the stored text; returns undefined for an invalid text. */
  read: (text: string) => T | undefined;
  write: (value: T) => string;
}

/** Names of unreadable choices that the user has not been told about since the page was opened. */
const damagedNames = new Set<ChoiceName>();
const damageListeners = new Set<() => void>();

export function storedChoice<T>({ name, key, initial, read, write }: StoredChoiceOptions<T>): StoredChoice<T> {
  const listeners = new Set<() => void>();
  /** Values that could not be stored, by key. */
  const unstored = new Map<string, T>();
  let latestRead: { key: string; text: string | null; value: T } | undefined;
  const keyNow = (): string => (typeof key === 'string' ? key : key());
  const tellListeners = (): void => {
    for (const listener of listeners) listener();
  };

  function get(): T {
    const currentKey = keyNow();
    if (unstored.has(currentKey)) return unstored.get(currentKey) as T;
    const text = textAt(currentKey);
    if (latestRead?.key !== currentKey || latestRead.text !== text)
      latestRead = { key: currentKey, text, value: valueOf(currentKey, text) };
    return latestRead.value;
  }

  function valueOf(storageKey: string, text: string | null): T {
    if (text === null) return initial;
    const value = read(text);
    if (value !== undefined) return value;
    store(`${storageKey}.damaged`, text);
    damagedNames.add(name);
    queueMicrotask(() => damageListeners.forEach((listener) => listener())); // React may be rendering now
    return initial;
  }

  function set(value: T | undefined): void {
    const currentKey = keyNow();
    get(); // saves an unreadable text first
    const text = value === undefined ? null : write(value);
    if (store(currentKey, text)) {
      unstored.delete(currentKey);
      latestRead = { key: currentKey, text, value: value ?? initial };
    } else {
      store(currentKey, null);
      unstored.set(currentKey, value ?? initial);
    }
    tellListeners();
  }

  const onStorage = ({ key: changedKey }: StorageEvent): void => {
    if (changedKey === keyNow() || changedKey === null) tellListeners();
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

/** Returns the functions of a choice that is stored as JSON; `read` receives the parsed value. */
export const asJson = <T>(read: (value: unknown) => T | undefined) => ({
  read: (text: string): T | undefined => {
    const value = jsonOf(text);
    return value === undefined ? undefined : read(value);
  },
  write: (value: T): string => JSON.stringify(value),
});

/** Returns the functions of a choice that is one of a few words. */
export const asWord = <T extends string>(words: readonly T[]) => ({
  read: (text: string): T | undefined => words.find((word) => word === text),
  write: (value: T): string => value,
});

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON; returns undefined for invalid text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the stored text; null without one, or if storage is forbidden. */
function textAt(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/** Stores or removes a text; returns false if storage is full or forbidden. */
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

/** Calls back now and later with the names of choices that could not be read, each once. */
export function onDamagedChoices(listener: (names: readonly ChoiceName[]) => void): () => void {
  const tellDamaged = (): void => {
    if (damagedNames.size === 0) return;
    const names = [...damagedNames];
    damagedNames.clear();
    listener(names);
  };
  damageListeners.add(tellDamaged);
  tellDamaged();
  return () => void damageListeners.delete(tellDamaged);
}
