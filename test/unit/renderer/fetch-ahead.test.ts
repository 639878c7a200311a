// The next track in the queue is fetched while the current one plays, once, and only if its audio is not here.
import { describe, expect, test } from 'vitest';
import { fetchAhead } from '../../../renderer/player/fetch-ahead.ts';
import type { PlayerState, QueueEntry } from '../../../renderer/player/player.ts';

const HERE = 1;
const AWAY = 2;
const OTHER_AWAY = 3;
const queueOf = (...ids: number[]): QueueEntry[] =>
  ids.map((id, key) => ({
    key,
    order: key,
    track: { id, availability: id === HERE ? 'available' : 'remote' } as QueueEntry['track'],
  }));

type Place = Partial<Pick<PlayerState, 'queue' | 'index' | 'status' | 'repeat' | 'sleep'>>;

/** The requests while the player has these states. */
function asked(...places: Place[]): number[] {
  const ids: number[] = [];
  let state: Place = { index: 0, status: 'playing', repeat: 'off', sleep: null };
  const listeners: (() => void)[] = [];
  const player = {
    getState: () => state as PlayerState,
    subscribe: (listener: () => void) => {
      listeners.push(listener);
      return () => {};
    },
  };
  fetchAhead(player, (id) => {
    ids.push(id);
    return Promise.reject(new Error('no line'));
  });
  for (const place of places) {
    state = { ...state, ...place };
    for (const listener of listeners) listener();
  }
  return ids;
}

describe('the next track in the queue', () => {
  test.each<[string, Place[], number[]]>([
    ['is requested while the one before it plays', [{ queue: queueOf(HERE, AWAY, OTHER_AWAY) }], [AWAY]],
    ['is requested once', [{ queue: queueOf(HERE, AWAY) }, {}, { status: 'paused' }, { status: 'playing' }], [AWAY]],
    ['is requested in order', [{ queue: queueOf(HERE, AWAY, OTHER_AWAY) }, { index: 1 }], [AWAY, OTHER_AWAY]],
    ['is left alone when its audio is here', [{ queue: queueOf(AWAY, HERE) }], []],
    [
      'is left alone while nothing sounds',
      [{ queue: queueOf(HERE, AWAY), status: 'loading' }, { status: 'paused' }],
      [],
    ],
    ['is left alone when the music is to end before it', [{ queue: queueOf(HERE, AWAY), sleep: 'track' }], []],
    ['is the first one when all is repeated', [{ queue: queueOf(AWAY, HERE), index: 1, repeat: 'all' }], [AWAY]],
    ['is the same one when that is repeated', [{ queue: queueOf(HERE, AWAY), repeat: 'one' }], []],
    [
      'is requested when it is moved before another',
      [
        { queue: queueOf(HERE, AWAY) },
        {
          queue: [
            ...queueOf(HERE),
            { key: 7, order: 7, track: { id: OTHER_AWAY, availability: 'remote' } as QueueEntry['track'] },
            ...queueOf(HERE, AWAY).slice(1),
          ],
        },
      ],
      [AWAY, OTHER_AWAY],
    ],
  ])('%s', (_, places, ids) => expect(asked(...places)).toEqual(ids));
});
