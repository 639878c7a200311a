import { expect, test } from 'vitest';
import type { PlayerState, QueueEntry, QueueTrack, Radio } from '../../../renderer/player/player.ts';
import { RadioFeed, steered } from '../../../renderer/player/radio-feed.ts';

const entry = (id: number, isAdded?: true): QueueEntry => ({
  key: id,
  order: id,
  track: { id } as QueueTrack,
  ...(isAdded && { added: isAdded }),
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

const feed = (fetchRadio: (requestedRadio: Radio) => Promise<{ tracks: QueueTrack[]; by: Radio['by'] }>) => {
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
const toAnswer = (...ids: number[]) => ({ tracks: ids.map((id) => ({ id }) as QueueTrack), by: 'tags' as const });

test('a radio goes on with what it has not played', async () => {
  const radioFeed = feed(() => Promise.resolve(toAnswer(7, 8)));
  expect(await radioFeed.radio.goOn()).toBe(true);
  expect(radioFeed.getState().queue.map(({ key }) => key)).toEqual([1, 7, 8]);
  expect(radioFeed.getState().radio).toMatchObject({ played: [1, 2, 3, 4, 7, 8], by: 'tags' });
});

test('an answer from before it was steered is not used', async () => {
  const moreRequests: (readonly number[])[] = [];
  const radioFeed = feed((request) => {
    moreRequests.push(request.more);
    if (moreRequests.length === 1) radioFeed.update({ radio: { ...radio, more: [5] } });
    return Promise.resolve(toAnswer(6 + moreRequests.length));
  });
  expect(await radioFeed.radio.goOn()).toBe(true);
  expect(moreRequests).toEqual([[], [5]]);
  expect(radioFeed.getState().queue.map(({ key }) => key)).toEqual([1, 8]);
});

test('it stays while the server is away, and ends when nothing is left', async () => {
  const unreachableFeed = feed(() => Promise.reject(new Error('away')));
  expect([await unreachableFeed.radio.goOn(), unreachableFeed.getState().radio]).toEqual([false, radio]);
  const emptyFeed = feed(() => Promise.resolve(toAnswer()));
  expect([await emptyFeed.radio.goOn(), emptyFeed.getState().radio]).toEqual([false, null]);
});

test('a radio that never ends keeps what can be gone back to, and what plays goes on playing', async () => {
  const endlessFeed = feed(({ played }) =>
    Promise.resolve(toAnswer(...Array.from({ length: 10 }, () => played.length + 10))),
  );
  for (let round = 0; round < 400; round++) {
    const { queue } = endlessFeed.getState();
    endlessFeed.update({ index: queue.length - 1 });
    const playingEntry = queue.at(-1);
    expect(await endlessFeed.radio.goOn()).toBe(true);
    expect(endlessFeed.getState().queue[endlessFeed.getState().index]).toBe(playingEntry);
  }
  expect(endlessFeed.getState().queue.length).toBe(211);
  expect(endlessFeed.getState().radio?.played.length).toBe(2_000);
});
