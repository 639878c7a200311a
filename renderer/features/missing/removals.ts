// Tracks that a person removed: for a while each can be brought back by a word, then they are deleted for good. Plain state outside React,
// so that the time runs on while a person walks from page to page. A window that is closed meanwhile has removed nothing.
import { useSyncExternalStore } from 'react';
import { deleteMissing } from '../../api/missing.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { getSession } from '../../api/session.ts';

export const UNDO_MS = 8_000;
const AT_ONCE = 4;

export interface Removable { id: number; title: string }
interface Removal { key: number; tracks: readonly Removable[]; timer: ReturnType<typeof setTimeout>; end: () => void }

const listeners = new Set<() => void>();
const waiting = new Map<number, Removal>();
/** Removed, or about to be. Ids are never given twice, so those that are deleted may stay. */
let leaving: ReadonlySet<number> = new Set();
let nextKey = 1;

function publish(next: ReadonlySet<number>): void {
  leaving = next;
  for (const listener of listeners) listener();
}

interface RemovalOptions {
  /** The time is up, or the removal was taken back. */
  onEnd: () => void;
  onFailure: (track: Removable, detail: string) => void;
}

/** Returns the key of the removal, for `undoRemoval`. */
export function removeTracks(added: readonly Removable[], { onEnd, onFailure }: RemovalOptions): number {
  const tracks = added.filter(({ id }) => !leaving.has(id));
  const key = nextKey++;
  const session = getSession()?.token;
  const timer = setTimeout(() => {
    waiting.delete(key);
    onEnd();
    if (getSession()?.token === session) void deleteAll(tracks, onFailure);
    else bringBack(tracks); // somebody else sits here now
  }, UNDO_MS);
  waiting.set(key, { key, tracks, timer, end: onEnd });
  publish(new Set([...leaving, ...tracks.map(({ id }) => id)]));
  return key;
}

export function undoRemoval(key: number): void {
  const removal = waiting.get(key);
  if (!removal) return;
  clearTimeout(removal.timer);
  waiting.delete(key);
  bringBack(removal.tracks);
  removal.end();
}

/** Takes the whole removal back that this track was a part of. */
export function undoRemovalOf(id: number): void {
  for (const { key, tracks } of waiting.values()) if (tracks.some((track) => track.id === id)) undoRemoval(key);
}

/** The latest that can still be taken back. */
export const undoLatestRemoval = (): void => undoRemoval(Math.max(0, ...waiting.keys()));

function bringBack(tracks: readonly Removable[]): void {
  const back = new Set(tracks.map(({ id }) => id));
  publish(new Set([...leaving].filter((id) => !back.has(id))));
}

async function deleteAll(tracks: readonly Removable[], onFailure: RemovalOptions['onFailure']): Promise<void> {
  const left = [...tracks];
  const work = async (): Promise<void> => {
    for (let track = left.shift(); track; track = left.shift()) {
      try {
        if (!(await deleteMissing(track.id))) bringBack([track]);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) continue; // gone already
        bringBack([track]);
        onFailure(track, detailOf(error));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLeaving = (): ReadonlySet<number> => useSyncExternalStore(subscribe, () => leaving);
