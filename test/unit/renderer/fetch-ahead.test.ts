// The next track in the queue is fetched while the current track plays, once, and only if its audio is remote.
import { describe, expect, test } from 'vitest';
import { fetchAhead } from '../../../renderer/player/fetch-ahead.ts';
import type { PlayerState, QueueEntry } from '../../../renderer/player/player.ts';

const LOCAL_ID = 1;
const REMOTE_ID = 2;
const OTHER_REMOTE_ID = 3;
const makeQueue = (...ids: number[]): QueueEntry[] =>
  ids.map((id, key) => ({
    key,
    order: key,
    track: { id, availability: id === LOCAL_ID ? 'available' : 'remote' } as QueueEntry['track'],
  }));

type Place = Partial<Pick<PlayerState, 'queue' | 'index' | 'status' | 'repeat' | 'sleep'>>;

/** Returns the ids that are requested while the player has these states. */
function collectRequests(...places: Place[]): number[] {
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
    [
      'is requested while the one before it plays',
      [{ queue: makeQueue(LOCAL_ID, REMOTE_ID, OTHER_REMOTE_ID) }],
      [REMOTE_ID],
    ],
    [
      'is requested once',
      [{ queue: makeQueue(LOCAL_ID, REMOTE_ID) }, {}, { status: 'paused' }, { status: 'playing' }],
      [REMOTE_ID],
    ],
    [
      'is requested in order',
      [{ queue: makeQueue(LOCAL_ID, REMOTE_ID, OTHER_REMOTE_ID) }, { index: 1 }],
      [REMOTE_ID, OTHER_REMOTE_ID],
    ],
    ['is left alone when its audio is here', [{ queue: makeQueue(REMOTE_ID, LOCAL_ID) }], []],
    [
      'is left alone while nothing sounds',
      [{ queue: makeQueue(LOCAL_ID, REMOTE_ID), status: 'loading' }, { status: 'paused' }],
      [],
    ],
    [
      'is left alone when the music is to end before it',
      [{ queue: makeQueue(LOCAL_ID, REMOTE_ID), sleep: 'track' }],
      [],
    ],
    [
      'is the first one when all is repeated',
      [{ queue: makeQueue(REMOTE_ID, LOCAL_ID), index: 1, repeat: 'all' }],
      [REMOTE_ID],
    ],
    ['is the same one when that is repeated', [{ queue: makeQueue(LOCAL_ID, REMOTE_ID), repeat: 'one' }], []],
    [
      'is requested when it is moved before another',
      [
        { queue: makeQueue(LOCAL_ID, REMOTE_ID) },
        {
          queue: [
            ...makeQueue(LOCAL_ID),
            { key: 7, order: 7, track: { id: OTHER_REMOTE_ID, availability: 'remote' } as QueueEntry['track'] },
            ...makeQueue(LOCAL_ID, REMOTE_ID).slice(1),
          ],
        },
      ],
      [REMOTE_ID, OTHER_REMOTE_ID],
    ],
  ])('%s', (_, places, ids) => expect(collectRequests(...places)).toEqual(ids));
});
