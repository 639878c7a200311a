// Measures the time from a click or a key to the next frame, over the fifty tasks of test/e2e/journeys with mouse, keys
// and touch and in the table of a million tracks, and how much the layout moves by itself. With --docs the figures go
// to docs/lists.md.
import type { Page } from 'playwright-core';
import { handOf, INPUT_METHODS, type InputMethod } from '../../e2e/journeys/hand.ts';
import { openJourneys, start, STARTS } from '../../e2e/journeys/open-journeys.ts';
import { DESK_WINDOW, PHONE_WINDOW } from '../../e2e/stage.ts';
import { measure, type Measure } from '../measure.ts';
import { interactionsOf, layoutShift, noteInteractions, percentile, type Noted } from '../window/interactions.ts';
import { openLargeWindow } from '../window/large-window.ts';
import { writeInteractionDocs } from '../window/list-docs.ts';
import { untilFull, startProbe, stopProbe } from '../window/list-probe.ts';

const LIMIT_MS = 100;
const SHIFT_LIMIT = 0.01;
/** Repeat interval of a held key. */
const REPEAT_MS = 33;

export interface InteractionFigures {
  name: string;
  count: number;
  medianMs: number;
  p95Ms: number;
  worstMs: number;
  shift: number;
}

export async function interactionSuite(
  dir: string,
  { libraries, docs }: { libraries: string; docs: boolean },
): Promise<Measure[]> {
  const figures = await journeys();
  figures.push(await million(dir, libraries));
  if (docs) writeInteractionDocs(figures);
  return figures.flatMap(({ name, p95Ms, shift }) => [
    limit(`${name}: 95 of 100 interactions`, 'ms', p95Ms, LIMIT_MS),
    limit(`${name}: layout shift`, '', shift, SHIFT_LIMIT),
  ]);
}

const limit = (name: string, unit: string, product: number, value: number): Measure =>
  measure({
    suite: 'interaction',
    name,
    unit,
    product,
    bound: { name: 'limit', value },
    goal: { op: '<=', value: 1 },
  });

function figuresOf(name: string, observations: Noted): InteractionFigures {
  const slowest = observations.interactions.toSorted((a, b) => b.ms - a.ms).slice(0, 8);
  for (const { ms, description } of slowest) process.stderr.write(`  ${name}: ${ms} ms, ${description}\n`);
  for (const { value, description } of observations.shifts)
    process.stderr.write(`  ${name}: moved by ${value.toFixed(4)}, ${description}\n`);
  return {
    name,
    count: Math.max(observations.count, observations.interactions.length),
    medianMs: percentile([observations], 0.5),
    p95Ms: percentile([observations], 0.95),
    worstMs: slowest[0]?.ms ?? 0,
    shift: layoutShift(observations),
  };
}

async function journeys(): Promise<InteractionFigures[]> {
  const { stage, tasks } = await openJourneys();
  try {
    const figures: InteractionFigures[] = [];
    for (const input of INPUT_METHODS) {
      const page = await stage.openAsOwner(input === 'touch' ? PHONE_WINDOW : DESK_WINDOW);
      await noteInteractions(page.context());
      await page.goto('/');
      await page.getByRole('navigation').first().waitFor();
      for (const [i, task] of tasks.entries()) {
        await start(page, STARTS[i % STARTS.length]!);
        await task.perform(handOf(input, page, { types: true }));
        await task.isDone(page);
      }
      figures.push(figuresOf(`tasks, ${INPUT_NAMES[input]}`, await interactionsOf(page)));
      await page.context().close();
    }
    return figures;
  } finally {
    await stage.close();
    await stage.browser.close();
  }
}
const INPUT_NAMES: Record<InputMethod, string> = { mouse: 'mouse', keyboard: 'keys', touch: 'touch' };

async function million(dir: string, libraries: string): Promise<InteractionFigures> {
  const { openPage, close } = await openLargeWindow(dir, libraries);
  try {
    const page = await openPage();
    await noteInteractions(page.context());
    await page.goto('/tracks');
    await page.locator('[data-index="0"][data-track]').waitFor();
    await startProbe(page);
    await useTable(page);
    await stopProbe(page);
    return figuresOf('a million tracks', await interactionsOf(page));
  } finally {
    await close();
  }
}

/** Does what users do in a table, each action several times. */
async function useTable(page: Page): Promise<void> {
  const row = (index: number) => page.locator('[data-index][data-track]').nth(index);
  const key = async (name: string, times = 1): Promise<void> => {
    for (let n = 1; n < times; n++) {
      await page.keyboard.down(name); // pressed again without release: the key repeats
      await page.waitForTimeout(REPEAT_MS);
    }
    await page.keyboard.press(name);
    await untilFull(page);
  };
  for (const round of [1, 2, 3]) {
    await row(1).click({ position: { x: 300, y: 10 } });
    await key('ArrowDown', 10);
    await page.keyboard.down('Shift');
    await key('ArrowDown', 5);
    await page.keyboard.up('Shift');
    await key('PageDown', 5);
    await key('End');
    await key('PageUp', 5);
    await key('Home');
    await key('Control+a');
    await key('Escape');
    await row(2 + round).click({ position: { x: 300, y: 10 } });
    await row(6 + round).click({ position: { x: 300, y: 10 }, modifiers: ['Shift'] });
    await row(9 + round).click({ position: { x: 300, y: 10 }, modifiers: ['ControlOrMeta'] });
    await key('Escape');
    await row(3).click({ button: 'right' });
    await page.getByRole('menu').waitFor();
    await key('Escape');
    await page.getByRole('columnheader', { name: 'Artist' }).getByRole('button').first().click();
    await untilFull(page);
    await page.getByRole('columnheader', { name: 'Title' }).getByRole('button').first().click();
    await untilFull(page);
    await page.getByRole('searchbox', { name: 'Filter by name' }).pressSequentially('love');
    await untilFull(page);
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill('');
    await untilFull(page);
  }
}
