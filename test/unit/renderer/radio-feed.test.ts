import { expect, test } from 'vitest';
import type { PlayerState, QueueEntry, QueueTrack, Radio } from '../../../renderer/player/player.ts';
import { RadioFeed, steered } from '../../../renderer/player/radio-feed.ts';

const entry = (id: number, added?: true): QueueEntry => ({
  key: id,
  order: id,
  track: { id } as QueueTrack,
  ...(added && { added }),
});
const radio: Radio = { seed: { kind: 'track', id: 1 }, by: 'sound', played: [1, 2, 3, 4], more: [], less: [2] };
const queue = [entry(1), entry(2), entry(9, true), entry(3), entry(4)];

test('what was chosen and not heard is chosen anew; what was queued by hand stays', () => {
  const next = steered({ queue, index: 1 }, radio, { more: 2 });
  expect(next.queue.map(({ key }) => key)).toEqual([1, 2, 9]);
  expect(next.radio).toMatchObject({ played: [1, 2], more: [2], less: [] });
});

test.each([
  { name: 'less', steering: { less: 1 }, more: [], less: [2, 1] },
  { name: 'taken back', steering: { forget: 2 }, more: [], less: [] },
  { name: 'nothing said', steering: {}, more: [], less: [2] },
])('a radio is steered: $name', ({ steering, more, less }) => {
  expect(steered({ queue, index: 1 }, radio, steering).radio).toMatchObject({ more, less });
});

const feed = (fetchRadio: (asked: Radio) => Promise<{ tracks: QueueTrack[]; by: Radio['by'] }>) => {
  let state = { queue: [entry(1)], index: 0, radio } as unknown as PlayerState;
  const update = (change: Partial<PlayerState>) => {
    state = { ...state, ...change };
  };
  return {
    getState: () => state,
    update,
    radio: new RadioFeed({
      getState: () => state,
      update,
      toEntries: (tracks) => tracks.map(({ id }) => entry(id)),
      fetchRadio,
    }),
  };
};
const found = (...ids: number[]) => ({ tracks: ids.map((id) => ({ id }) as QueueTrack), by: 'tags' as const });

test('a radio goes on with what it has not played', async () => {
  const one = feed(() => Promise.resolve(found(7, 8)));
  expect(await one.radio.goOn()).toBe(true);
  expect(one.getState().queue.map(({ key }) => key)).toEqual([1, 7, 8]);
  expect(one.getState().radio).toMatchObject({ played: [1, 2, 3, 4, 7, 8], by: 'tags' });
});

test('an answer from before it was steered is not used', async () => {
  const asked: (readonly number[])[] = [];
  const one = feed((course) => {
    asked.push(course.more);
    if (asked.length === 1) one.update({ radio: { ...radio, more: [5] } });
    return Promise.resolve(found(6 + asked.length));
  });
  expect(await one.radio.goOn()).toBe(true);
  expect(asked).toEqual([[], [5]]);
  expect(one.getState().queue.map(({ key }) => key)).toEqual([1, 8]);
});

test('it stays while the server is away, and ends when nothing is left', async () => {
  const away = feed(() => Promise.reject(new Error('away')));
  expect([await away.radio.goOn(), away.getState().radio]).toEqual([false, radio]);
  const empty = feed(() => Promise.resolve(found()));
  expect([await empty.radio.goOn(), empty.getState().radio]).toEqual([false, null]);
});

test('a radio that never ends keeps what can be gone back to, and what plays goes on playing', async () => {
  const one = feed(({ played }) => Promise.resolve(found(...Array.from({ length: 10 }, () => played.length + 10))));
  for (let round = 0; round < 400; round++) {
    const { queue } = one.getState();
    one.update({ index: queue.length - 1 });
    const playing = queue.at(-1);
    expect(await one.radio.goOn()).toBe(true);
    expect(one.getState().queue[one.getState().index]).toBe(playing);
  }
  expect(one.getState().queue.length).toBe(211);
  expect(one.getState().radio?.played.length).toBe(2_000);
});
