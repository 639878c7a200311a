// Fifty tasks, by mouse, by keyboard alone and by touch: none takes more than three actions from any page.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK_WINDOW, PHONE_WINDOW, type Stage } from '../stage.ts';
import { handOf, INPUT_METHODS, type InputMethod } from './hand.ts';
import { openJourneys, start, STARTS } from './open-journeys.ts';
import type { Task } from './tasks.ts';

const MOST_ACTIONS = 3;

let stage: Stage;
let tasks: Task[];

beforeAll(async () => {
  ({ stage, tasks } = await openJourneys());
});
afterAll(() => stage?.close());

test.each(INPUT_METHODS)('fifty tasks by %s', async (inputMethod: InputMethod) => {
  const page = await stage.openAsOwner(inputMethod === 'touch' ? PHONE_WINDOW : DESK_WINDOW);
  await page.goto('/');
  await page.getByRole('navigation').first().waitFor();
  const durations: Record<string, number> = {};
  const failedTasks: string[] = [];
  for (const [i, task] of tasks.entries()) {
    const from = STARTS[Math.floor((i * STARTS.length) / tasks.length)]!;
    await start(page, from);
    const hand = handOf(inputMethod, page);
    try {
      await task.perform(hand);
      await task.isDone(page);
    } catch (error) {
      failedTasks.push(`${task.name}, from ${from}: ${String(error)}`);
    }
    durations[`${task.name}, from ${from}`] = hand.count();
  }
  expect(failedTasks).toEqual([]);
  expect(Object.keys(durations).length).toBeGreaterThanOrEqual(50);
  expect(Object.entries(durations).filter(([, actions]) => actions > MOST_ACTIONS)).toEqual([]);
  expect(stage.problems).toEqual([]);
  await page.context().close();
});
