// Tests that slices of long work take turns.
import { setImmediate as afterOthers } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSlots } from '../../../server/runtime/concurrency.ts';
import { waitForTurn, yieldIfDue, setCaller } from '../../../server/runtime/time-slices.ts';

test('callers take turns, however much one of them asks for', async () => {
  const finishedCallers: string[] = [];
  const takeSlice = async (caller: string): Promise<void> => {
    setCaller(caller);
    await waitForTurn();
    finishedCallers.push(caller);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(takeSlice));
  expect(finishedCallers).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('work begins at once, unless other work has just taken a slice', async () => {
  await afterOthers();
  setCaller('first');
  expect(yieldIfDue()).toBeUndefined();
  for (const sliceEnd = performance.now() + 6; performance.now() < sliceEnd;);
  setCaller('second');
  const wait = yieldIfDue();
  expect(wait).toBeInstanceOf(Promise);
  await wait;
  await afterOthers();
  expect(yieldIfDue()).toBeUndefined();
});

test('work waits behind what its caller waits for already', async () => {
  await afterOthers();
  setCaller('third');
  const previousTurn = waitForTurn();
  const wait = yieldIfDue();
  expect(wait).toBeInstanceOf(Promise);
  await Promise.all([previousTurn, wait]);
});

test('callers take turns for slots, too', async () => {
  const runInTurn = createSlots(1);
  const finishedCallers: string[] = [];
  const takeSlot = async (caller: string): Promise<void> => {
    setCaller(caller);
    await runInTurn(async () => {
      await afterOthers();
      finishedCallers.push(caller);
    });
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(takeSlot));
  expect(finishedCallers).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});
