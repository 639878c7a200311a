// A queue that is handed over to another device.
import { expect, test } from 'vitest';
import type { HandOverOut, TrackOut } from '../../../renderer/api/routes.ts';
import { NEW_STATE } from '../../../renderer/player/first-state.ts';
import { fromHandOver, toHandOver } from '../../../renderer/player/handed-queue.ts';
import type { ListRest, PlayerState, QueueTrack } from '../../../renderer/player/player.ts';

const trackOf = (id: number): QueueTrack => ({ id }) as QueueTrack;
const REST: ListRest = {
  name: 'Tracks',
  query: { sort: 'title' },
  without: [7],
  first: 0,
  next: 200,
  end: 500,
  total: 500,
  seed: null,
  leftAt: 0,
};
const STATE: PlayerState = {
  ...NEW_STATE,
  queue: [
    { key: 9, order: 12, track: trackOf(4) },
    { key: 10, order: 10, track: trackOf(2), added: true },
    { key: 11, order: 11, track: trackOf(3) },
  ],
  index: 1,
  from: 'Tracks',
  rest: REST,
  positionMs: 1_234.5,
  shuffle: true,
  repeat: 'all',
  listening: { id: 'one', trackId: 2, startedAt: 1_000, heardMs: 900.4, reportedMs: null },
};

/** Returns the queue as the server passes it on, which may have left tracks out. */
const passOn = (state: PlayerState, change: Partial<HandOverOut> = {}): HandOverOut => {
  const handOver = toHandOver(state)!;
  return {
    ...handOver,
    id: 'hand-over',
    from: 'desk',
    tracks: handOver.track_ids.map((id) => trackOf(id) as TrackOut),
    ...change,
  };
};

test('queue, place, modes and listening arrive as they were', () => {
  const [tracks, index, positionMs, origin] = fromHandOver(passOn(STATE))!;
  expect([tracks.map(({ id }) => id), index, positionMs]).toEqual([[4, 2, 3], 1, 1_235]);
  expect(origin).toEqual({
    from: 'Tracks',
    rest: REST,
    radio: null,
    shuffle: true,
    repeat: 'all',
    orders: [2, 0, 1],
    added: [1],
    listening: { id: 'one', trackId: 2, startedAt: 1_000, heardMs: 900, reportedMs: null },
  });
});

test('an empty queue is not handed over, and one without tracks in the library does not arrive', () => {
  expect(toHandOver(NEW_STATE)).toBeNull();
  expect(fromHandOver(passOn(STATE, { tracks: [], current_index: 0 }))).toBeNull();
});

test('the order before shuffling is left out if tracks are missing', () => {
  const [, , , origin] = fromHandOver(passOn(STATE, { tracks: [trackOf(2) as TrackOut], current_index: 0 }))!;
  expect(origin).not.toHaveProperty('orders');
});

test.each(['', 'no JSON', '[]', 'null', '{"rest":{"name":1},"radio":"x","orders":[-1,0,1],"added":"x","from":7}'])(
  'what does not make sense is left out: %s',
  (context) => {
    const [, , , origin] = fromHandOver(passOn(STATE, { context }))!;
    expect(origin).toMatchObject({ from: null, rest: null, radio: null, shuffle: true });
    expect(origin).not.toHaveProperty('orders');
    expect(origin).not.toHaveProperty('added');
  },
);

test('a list with too many exceptions is handed over without its rest', () => {
  const without = Array.from({ length: 20_000 }, (_, id) => id);
  const handOver = passOn({ ...STATE, rest: { ...REST, without } });
  expect(handOver.context).toBe('{"from":"Tracks"}');
});
