// What a person pinned to the side bar, in order. The pins belong to the account and are stored in this browser.
import { getSession } from '../api/session.ts';
import { asJson, isRecord, storedChoice } from '../stored-choice.ts';
import type { Items } from './items.ts';
import '../i18n/page-texts.ts';

const PIN_KINDS = ['album', 'artist', 'playlist', 'genre', 'page'] as const;
const MAX_PINS = 100;

export interface Pin {
  kind: (typeof PIN_KINDS)[number];
  /** The number of an album, artist or playlist, the name of a genre, the address of a page. */
  id: string;
  /** The name when it was pinned, which is displayed until the current one is loaded. */
  name: string;
}

const isPin = (value: unknown): value is Pin =>
  isRecord(value) &&
  PIN_KINDS.some((kind) => kind === value['kind']) &&
  typeof value['id'] === 'string' &&
  typeof value['name'] === 'string';

const pins = storedChoice<readonly Pin[]>({
  name: 'pins',
  key: () => `tonearm.pins.${getSession()?.user.id ?? ''}`,
  initial: [],
  ...asJson<readonly Pin[]>((value) => (Array.isArray(value) ? value.filter(isPin).slice(0, MAX_PINS) : undefined)),
});

export const usePins = pins.use;

export const isSamePin = (a: Pin, b: Pin): boolean => a.kind === b.kind && a.id === b.id;
export const isPinned = (pin: Pin): boolean => pins.get().some((other) => isSamePin(other, pin));

/** Adds the pin at the end, or removes it. */
export const togglePin = (pin: Pin): void =>
  pins.set(isPinned(pin) ? pins.get().filter((other) => !isSamePin(other, pin)) : [...pins.get(), pin]);

/** Moves the pin by a number of places, at most to either end. */
export function movePin(pin: Pin, places: number): void {
  const list = [...pins.get()];
  const index = list.findIndex((other) => isSamePin(other, pin));
  const [moved] = list.splice(index, 1);
  if (index < 0 || !moved) return;
  list.splice(Math.max(0, index + places), 0, moved);
  pins.set(list);
}

/** Returns the pin of a single album, artist, playlist or genre. */
export function pinOf({ kind, only, name }: Items): Pin | undefined {
  if (!only) return undefined;
  if (kind === 'genre') return { kind, id: name, name };
  return kind === 'album' || kind === 'artist' || kind === 'playlist'
    ? { kind, id: String((only as { id: number }).id), name }
    : undefined;
}
