// Slices of long work take turns.
import { setImmediate as afterOthers } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSlots } from '../../../server/runtime/concurrency.ts';
import { waitForTurn, yieldIfDue, setCaller } from '../../../server/runtime/time-slices.ts';

test('callers take turns, however much one of them asks for', async () => {
  const done: string[] = [];
  const one = async (caller: string): Promise<void> => {
    setCaller(caller);
    await waitForTurn();
    done.push(caller);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(one));
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('work begins at once, unless other work has just taken a slice', async () => {
  await afterOthers();
  setCaller('first');
  expect(yieldIfDue()).toBeUndefined();
  for (const until = performance.now() + 6; performance.now() < until;);
  setCaller('second');
  const waits = yieldIfDue();
  expect(waits).toBeInstanceOf(Promise);
  await waits;
  await afterOthers();
  expect(yieldIfDue()).toBeUndefined();
});

test('work waits behind what its caller waits for already', async () => {
  await afterOthers();
  setCaller('third');
  const earlierTurn = waitForTurn();
  const waits = yieldIfDue();
  expect(waits).toBeInstanceOf(Promise);
  await Promise.all([earlierTurn, waits]);
});

test('callers take turns for slots, too', async () => {
  const inTurn = createSlots(1);
  const done: string[] = [];
  const one = async (caller: string): Promise<void> => {
    setCaller(caller);
    await inTurn(async () => {
      await afterOthers();
      done.push(caller);
    });
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(one));
  expect(done).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});
