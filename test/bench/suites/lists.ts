// Scrolls the table of a million tracks and the grid of 80,000 albums in a real browser from the top to the end: by the
// page keys, by Home and End, and by dragging the scroll bar. Bounds are the limits that users would notice. With
// --docs the figures go to docs/lists.md.
import type { Page } from 'playwright-core';
import { startProbe, stopProbe, untilFull, type ListTrace } from '../window/list-probe.ts';
import { watchMemory, type Memory } from '../window/browser-memory.ts';
import { openLargeWindow, type LargeWindow } from '../window/large-window.ts';
import { writeListDocs } from '../window/list-docs.ts';
import { measure, type Measure } from '../measure.ts';

const LIST_PAGES = [
  ['Tracks', '/tracks'],
  ['Albums', '/albums'],
] as const;
/** Repeat interval of a held key. */
const REPEAT_MS = 33;
const HELD_REPEATS = 90;
const DRAG_STEPS = 120;
/** Pixels from an end of the scroll bar to the middle of the thumb there: the arrow, and half of the shortest thumb. */
const BAR_END = 25;

interface ScrollFigures {
  name: string;
  trace: ListTrace;
}
export interface ListFigures {
  list: string;
  scrolls: ScrollFigures[];
  memory: Memory;
}

export async function listsSuite(
  dir: string,
  { libraries, docs }: { libraries: string; docs: boolean },
): Promise<Measure[]> {
  const window = await openLargeWindow(dir, libraries);
  try {
    const figures: ListFigures[] = [];
    for (const [listName, path] of LIST_PAGES) figures.push(await figuresOf(window, listName, path));
    if (docs) writeListDocs(figures);
    return figures.flatMap(measuresOf);
  } finally {
    await window.close();
  }
}

async function figuresOf({ browser, openPage }: LargeWindow, listName: string, path: string): Promise<ListFigures> {
  const page = await openPage();
  await page.goto(path);
  await page.locator('[role="grid"] [data-index="0"]:is([data-track], :has([data-stop]))').waitFor();
  const memory = await watchMemory(browser, page);
  const scrolls: ScrollFigures[] = [];
  for (const [name, scroll] of SCROLL_METHODS) {
    await startProbe(page);
    await scroll(page);
    await untilFull(page);
    const trace = await stopProbe(page);
    scrolls.push({ name, trace });
    process.stderr.write(
      `  ${listName}, ${name}: ${trace.frames.length} frames, blank ${Math.round(trace.longestBlankMs)} ms, anything blank ${Math.round(trace.longestUneaseMs)} ms, longest frame ${Math.round(trace.longestFrameMs)} ms, ${trace.answers.count} pages, median ${Math.round(trace.answers.medianMs)} ms, longest ${Math.round(trace.answers.longestMs)} ms\n`,
    );
  }
  const figures = { list: listName, scrolls, memory: await memory.stop() };
  process.stderr.write(
    `  ${listName}: heap ${Math.round(figures.memory.heapMb)} MB, process ${Math.round(figures.memory.processMb)} MB, ${Math.round(figures.memory.keptMb)} MB without garbage\n`,
  );
  await page.context().close();
  return figures;
}

const pause = (page: Page, ms: number): Promise<void> => page.waitForTimeout(ms);

/** The ways of scrolling, in this order, so that the first End key is the server's first request for a deep page. */
const SCROLL_METHODS: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  [
    'End and Home',
    async (page) => {
      await focusStop(page);
      for (const key of ['End', 'Home', 'End', 'Home']) {
        await page.keyboard.press(key);
        await untilFull(page);
        await pause(page, 300);
      }
    },
  ],
  [
    'Page Down, held',
    async (page) => {
      await focusStop(page);
      await holdKey(page, 'PageDown');
    },
  ],
  [
    'Page Up, held, from the end',
    async (page) => {
      await page.keyboard.press('End');
      await untilFull(page);
      await holdKey(page, 'PageUp');
    },
  ],
  [
    'wheel',
    async (page) => {
      await page.mouse.move(700, 500);
      for (let n = 0; n < HELD_REPEATS; n++) {
        await page.mouse.wheel(0, 240);
        await pause(page, REPEAT_MS);
      }
    },
  ],
  [
    'scroll bar, top to end',
    async (page) => {
      await focusStop(page);
      await page.keyboard.press('Home');
      await untilFull(page);
      await drag(page, 1);
    },
  ],
  [
    'scroll bar, with stops',
    async (page) => {
      for (const to of [0.66, 0.33, 0.5, 0.02]) await drag(page, to);
    },
  ],
];

/** Focuses the row or cell that Tab reaches; the header has its own tab stops. */
const focusStop = (page: Page): Promise<void> =>
  page.locator('[role="grid"] :is([data-index], [data-stop])[tabindex="0"]').first().focus();

async function holdKey(page: Page, key: string): Promise<void> {
  for (let n = 0; n < HELD_REPEATS; n++) {
    await page.keyboard.down(key); // pressed again without release: the key repeats
    await pause(page, REPEAT_MS);
  }
  await page.keyboard.up(key);
}

/** Drags the thumb to a position of the scroll bar (0..1), and releases it. */
async function drag(page: Page, to: number): Promise<void> {
  const bar = await page.evaluate(() => {
    const main = document.querySelector('main')!;
    const { top, right, height } = main.getBoundingClientRect();
    return { x: right - 5, top, height, at: main.scrollTop / (main.scrollHeight - main.clientHeight) };
  });
  const y = (share: number): number => bar.top + BAR_END + share * (bar.height - 2 * BAR_END);
  await page.mouse.move(bar.x, y(bar.at));
  await page.mouse.down();
  const steps = Math.max(20, Math.round(DRAG_STEPS * Math.abs(to - bar.at)));
  for (let n = 1; n <= steps; n++) {
    await page.mouse.move(bar.x, y(bar.at + ((to - bar.at) * n) / steps));
    await pause(page, REPEAT_MS);
  }
  await untilFull(page);
  await page.mouse.up();
  const scrollPosition = await page.evaluate(() => {
    const main = document.querySelector('main')!;
    return main.scrollTop / (main.scrollHeight - main.clientHeight);
  });
  if (Math.abs(scrollPosition - to) > 0.1)
    throw new Error(`The scroll bar was dragged to ${to}, and the list is at ${scrollPosition.toFixed(2)}.`);
}

function measuresOf({ list, scrolls, memory }: ListFigures): Measure[] {
  const limit = (name: string, unit: string, product: number, value: number): Measure =>
    measure({
      suite: 'lists',
      name: `${list}: ${name}`,
      unit,
      product,
      bound: { name: 'limit', value },
      goal: { op: '<=', value: 1 },
    });
  return [
    ...scrolls.map(({ name, trace }) => limit(`${name}: longest blank`, 'ms', trace.longestBlankMs, 200)),
    limit(
      'most in the document',
      list === 'Tracks' ? 'rows' : 'cells',
      Math.max(...scrolls.flatMap(({ trace }) => trace.frames.map(({ inDocument }) => inDocument))),
      500,
    ),
    limit('script heap', 'MB', memory.heapMb, 300),
    limit('memory of the page’s process, garbage and all', 'MB', memory.processMb, 300),
    limit('the same, garbage collected', 'MB', memory.keptMb, 300),
  ];
}
