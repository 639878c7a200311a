// Saves the queue on the server: soon after a change, periodically while playing, and on stop. A failed save is made
// up for by the next save.
import type { QueuePlace } from '../api/queue.ts';
import { currentEntry, isSounding, type Listening, type Player } from './player.ts';

const SAVE_AFTER_MS = 1_500;
const SAVE_EVERY_MS = 15_000;

const toWire = (listening: Listening | null): QueuePlace['listening'] =>
  listening && {
    play_id: listening.id,
    started_at: new Date(listening.startedAt).toISOString(),
    heard_ms: Math.round(listening.heardMs),
  };

interface QueueSyncOptions {
  save: (place: Omit<QueuePlace, 'client'>) => Promise<unknown>;
  most: number;
}

export function syncQueue(player: Player, { save, most }: QueueSyncOptions): () => void {
  let { queue, index } = player.getState();
  let sounding = isSounding(player.getState());
  let timer: ReturnType<typeof setTimeout> | undefined;
  let savedAt = Date.now();

  const saveNow = () => {
    timer = undefined;
    savedAt = Date.now();
    const state = player.getState();
    const firstIndex = Math.max(0, Math.min(state.index, state.queue.length - most));
    const ids = state.queue.slice(firstIndex, firstIndex + most).map(({ track }) => track.id);
    save({
      track_ids: ids,
      current_index: Math.max(0, state.index - firstIndex),
      position_ms: Math.round(currentEntry(state) ? state.positionMs : 0),
      listening: toWire(state.listening),
    }).catch(() => undefined);
  };
  const unsubscribe = player.subscribe(() => {
    const state = player.getState();
    const hasChanged = state.queue !== queue || state.index !== index || sounding !== isSounding(state);
    ({ queue, index } = state);
    sounding = isSounding(state);
    if (hasChanged || (sounding && Date.now() - savedAt > SAVE_EVERY_MS)) timer ??= setTimeout(saveNow, SAVE_AFTER_MS);
  });
  return () => {
    unsubscribe();
    if (timer === undefined) return;
    clearTimeout(timer);
    saveNow();
  };
}
