import { expect, test } from 'vitest';
import { ApiError } from '../../../renderer/api/problem.ts';
import type { PlayReport } from '../../../renderer/api/queue.ts';
import { PlayReports } from '../../../renderer/player/play-reports.ts';
import type { Play } from '../../../renderer/player/play-counter.ts';

function memory() {
  let storedReports: readonly PlayReport[] = [];
  return { get: () => storedReports, set: (items: readonly PlayReport[] = []) => void (storedReports = items) };
}

const play = (id: number, playedMs = 100_000): Play => ({
  id: `play-${id}`,
  track: { id } as Play['track'],
  playedAt: new Date(Date.UTC(2026, 0, 1, 0, id)),
  playedMs,
});
const listTrackIds = (items: readonly PlayReport[]) => items.map(({ track_id }) => track_id);

function reporter(answers: (ApiError | null)[] = []) {
  const sentBatches: (readonly PlayReport[])[] = [];
  const storage = memory();
  const reports = new PlayReports({
    openStore: () => storage,
    client: 'Test',
    send: async (items) => {
      sentBatches.push(structuredClone(items));
      const answer = answers.shift();
      if (answer) throw answer;
    },
  });
  const readStored = storage.get;
  return {
    reports,
    sent: sentBatches,
    kept: readStored,
    settle: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
  };
}

test('a sent play is deleted', async () => {
  const { reports, sent, kept, settle } = reporter();
  reports.add(play(1));
  await settle();
  expect(sent).toEqual([
    [{ track_id: 1, played_at: '2026-01-01T00:01:00.000Z', played_ms: 100_000, client: 'Test', play_id: 'play-1' }],
  ]);
  expect(kept()).toEqual([]);
});

test.each([0, 401, 429, 503])('after %i plays are kept and sent together later', async (status) => {
  const { reports, sent, kept, settle } = reporter([new ApiError(status, 'no'), new ApiError(status, 'no')]);
  reports.add(play(1));
  await settle();
  reports.add(play(2));
  await settle();
  expect(listTrackIds(kept())).toEqual([1, 2]);
  await reports.flush();
  expect(listTrackIds(sent.at(-1)!)).toEqual([1, 2]);
  expect(kept()).toEqual([]);
});

test('plays that the server rejects are deleted', async () => {
  const { reports, kept, settle } = reporter([new ApiError(422, 'no')]);
  reports.add(play(1));
  await settle();
  expect(kept()).toEqual([]);
});

test('a longer report of the same play replaces a shorter one', async () => {
  const { reports, kept, settle } = reporter([new ApiError(0, 'no'), new ApiError(0, 'no')]);
  reports.add(play(1, 100_000));
  await settle();
  reports.add(play(1, 180_000));
  await settle();
  expect(kept().map(({ played_ms }) => played_ms)).toEqual([180_000]);
});

test('nothing is kept without signing in', async () => {
  const reports = new PlayReports({
    openStore: () => null,
    client: 'Test',
    send: () => Promise.reject(new Error('must not be sent')),
  });
  reports.add(play(1));
  await expect(reports.flush()).resolves.toBeUndefined();
});
