// The state of a player that has just been opened: what was stored, or nothing.
import { currentEntry, type PlayerState, type Sleep } from './player.ts';
import { recall } from './saved-state.ts';

/** The state of a player that has never been used. */
export const NEW_STATE: PlayerState = {
  queue: [],
  index: -1,
  from: null,
  rest: null,
  radio: null,
  listening: null,
  positionMs: 0,
  volume: 0.8,
  muted: false,
  shuffle: false,
  repeat: 'off',
  crossfadeS: 0,
  replayGain: 'off',
  preampDb: 0,
  speed: 1,
  sleep: null,
  loop: null,
  status: 'idle',
  durationMs: 0,
  bufferedMs: 0,
  failure: null,
};

export const emptyState = (): PlayerState => {
  const remembered = recall();
  const state: PlayerState = {
    ...NEW_STATE,
    ...remembered,
    // a sleep time in the past belonged to an earlier playback
    ...(isSleepOver(remembered.sleep) && { sleep: null }),
  };
  return {
    ...state,
    status: state.queue.length > 0 ? 'paused' : 'idle',
    durationMs: currentEntry(state)?.track.duration_ms ?? 0,
  };
};

const isSleepOver = (sleep: Sleep | undefined): boolean =>
  typeof sleep === 'object' && sleep !== null && sleep.at <= Date.now();
