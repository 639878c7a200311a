// The part of the player's state that is stored across restarts: queue, position, modes, volume.
import { asJson, isRecord, storedChoice } from '../stored-choice.ts';
import type { Listening, PlayerState, QueueEntry } from './player.ts';

const VERSION = 2;
/** localStorage holds some 5 MB, so a long queue keeps the entries around the current one. */
const MAX_ENTRIES = 2_000;

const SAVED_SETTINGS = [
  'queue',
  'index',
  'from',
  'rest',
  'radio',
  'listening',
  'positionMs',
  'volume',
  'muted',
  'shuffle',
  'repeat',
  'crossfadeS',
  'replayGain',
  'preampDb',
  'speed',
  'sleep',
] as const satisfies readonly (keyof PlayerState)[];
type Remembered = Pick<PlayerState, (typeof SAVED_SETTINGS)[number]>;

const savedState = storedChoice<Partial<Remembered> & { version?: number }>({
  name: 'player',
  key: 'tonearm.player',
  initial: {},
  ...asJson((value) => {
    if (!isRecord(value)) return undefined;
    const { version, queue, listening } = value;
    if (version !== VERSION) return {};
    if (!Array.isArray(queue) || !queue.every(isEntry)) return undefined;
    return { ...value, listening: isListening(listening) ? listening : null };
  }),
});

/** Returns the part of a long queue around the current entry. */
export function cutQueue({ queue, index, rest }: Remembered): Pick<Remembered, 'queue' | 'index' | 'rest'> {
  const firstIndex = Math.max(0, Math.min(index - MAX_ENTRIES / 4, queue.length - MAX_ENTRIES));
  const cutCount = Math.max(0, queue.length - firstIndex - MAX_ENTRIES);
  return {
    queue: queue.slice(firstIndex, firstIndex + MAX_ENTRIES),
    index: index - firstIndex,
    rest: rest && { ...rest, next: Math.max(0, rest.next - cutCount), ...(firstIndex > 0 && { first: 0 }) },
  };
}

export const remember = (state: Remembered): void =>
  savedState.set({ ...pick(state), version: VERSION, ...cutQueue(state) });

const pick = (state: Remembered): Remembered =>
  Object.fromEntries(SAVED_SETTINGS.map((name) => [name, state[name]])) as unknown as Remembered;

/** Returns the stored state; empty if none was stored or an older version stored it. */
export function recall(): Partial<Remembered> {
  const { version: _, ...remembered } = savedState.get();
  return remembered;
}

const isEntry = (entry: QueueEntry | null): boolean =>
  typeof entry?.key === 'number' && typeof entry.track?.id === 'number';

/** Latest stored time, in the year 6429; times after the year 9999 cannot be sent. */
const MAX_TIME_MS = 2 ** 47;

const isListening = (value: unknown): value is Listening =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  [value.trackId, value.startedAt, value.heardMs, value.reportedMs ?? 0].every(
    (number) => typeof number === 'number' && number >= 0 && number < MAX_TIME_MS,
  );
