// What the player stores across restarts: queue, position, modes, volume.
import type { PlayerState, QueueEntry } from './player.ts';

const KEY = 'tonearm.player';
const VERSION = 2;
/** localStorage holds some 5 MB, so a long queue keeps the entries around the current one. */
const MAX_ENTRIES = 2_000;

type Remembered = Pick<
  PlayerState,
  | 'queue'
  | 'index'
  | 'from'
  | 'rest'
  | 'radio'
  | 'positionMs'
  | 'volume'
  | 'muted'
  | 'shuffle'
  | 'repeat'
  | 'crossfadeS'
  | 'replayGain'
  | 'preampDb'
>;

export function remember(state: Remembered): void {
  const first = Math.max(0, Math.min(state.index - MAX_ENTRIES / 4, state.queue.length - MAX_ENTRIES));
  const { from, rest, radio, positionMs, volume, muted, shuffle, repeat, crossfadeS, replayGain, preampDb } = state;
  const cut = Math.max(0, state.queue.length - first - MAX_ENTRIES);
  const stored = {
    version: VERSION,
    queue: state.queue.slice(first, first + MAX_ENTRIES),
    index: state.index - first,
    from,
    rest: rest && { ...rest, next: Math.max(0, rest.next - cut), ...(first > 0 && { first: 0 }) },
    radio,
    positionMs,
    volume,
    muted,
    shuffle,
    repeat,
    crossfadeS,
    replayGain,
    preampDb,
  };
  try {
    localStorage.setItem(KEY, JSON.stringify(stored));
  } catch {
    localStorage.removeItem(KEY); // storage full: the music goes on without it
  }
}

export function recall(): Partial<Remembered> {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as (Remembered & { version: number }) | null;
    if (stored?.version !== VERSION || !Array.isArray(stored.queue)) return {};
    const { version: _, ...remembered } = stored;
    return remembered.queue.every(isEntry) ? remembered : {};
  } catch {
    return {};
  }
}

const isEntry = (entry: QueueEntry | null): boolean =>
  typeof entry?.key === 'number' && typeof entry.track?.id === 'number';
