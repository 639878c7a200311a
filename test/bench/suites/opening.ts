// Measures the time from opening a page to a usable window in a fresh browser profile: the first rows or covers are
// visible and the script is idle. The library has a million tracks. With --docs the figures go to docs/lists.md.
import type { Page } from 'playwright-core';
import { openLargeWindow } from '../window/large-window.ts';
import { writeOpeningDocs } from '../window/list-docs.ts';
import { measure, median, type Measure } from '../measure.ts';

const OPENED_PAGES = ['/', '/albums', '/tracks', '/settings'];
const ROUND_COUNT = 7;
const LIMIT_MS = 1_500;
/** A window is interactive after this long without a task of 50 ms. */
const REST_MS = 500;

interface Opening {
  firstPaintMs: number;
  inSightMs: number;
  interactiveMs: number;
  blockedMs: number;
  requests: number;
  sentKb: number;
}
export interface OpeningFigures {
  path: string;
  median: Opening;
  worstMs: number;
}

export async function openingSuite(
  dir: string,
  { libraries, docs }: { libraries: string; docs: boolean },
): Promise<Measure[]> {
  const window = await openLargeWindow(dir, libraries);
  try {
    const figures: OpeningFigures[] = [];
    for (const path of OPENED_PAGES) {
      const rounds: Opening[] = [];
      for (let round = 0; round <= ROUND_COUNT; round++) {
        const page = await window.openPage();
        const pageOpening = await open(page, path);
        if (round > 0) rounds.push(pageOpening); // in the first round the server scales the covers
        await page.context().close();
      }
      const middle = (key: keyof Opening): number => median(rounds.map((round) => round[key]));
      figures.push({
        path,
        worstMs: Math.max(...rounds.map(({ interactiveMs }) => interactiveMs)),
        median: {
          firstPaintMs: middle('firstPaintMs'),
          inSightMs: middle('inSightMs'),
          interactiveMs: middle('interactiveMs'),
          blockedMs: middle('blockedMs'),
          requests: middle('requests'),
          sentKb: middle('sentKb'),
        },
      });
    }
    if (docs) writeOpeningDocs(figures);
    return figures.map(({ path, median: { interactiveMs } }) =>
      measure({
        suite: 'opening',
        name: `${path}: to interactive`,
        unit: 'ms',
        product: interactiveMs,
        bound: { name: 'limit', value: LIMIT_MS },
        goal: { op: '<=', value: 1 },
      }),
    );
  } finally {
    await window.close();
  }
}

async function open(page: Page, path: string): Promise<Opening> {
  await page.addInitScript(note);
  await page.goto(path);
  return page.evaluate(async (settleMs) => {
    const { tasks, inSight } = globalThis as unknown as Noted;
    const inSightMs = await inSight;
    /** The first time after which no long task ran for a while. */
    let interactiveMs = inSightMs;
    for (;;) {
      const lastTask = tasks.filter(({ end }) => end > interactiveMs).at(-1);
      if (lastTask) interactiveMs = lastTask.end;
      if (performance.now() - interactiveMs > settleMs) break;
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
    const sentFiles = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    const beforeInteractive = sentFiles.filter(({ responseEnd }) => responseEnd <= interactiveMs);
    return {
      firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      inSightMs,
      interactiveMs,
      blockedMs: tasks.reduce((sum, { start, end }) => sum + Math.max(0, end - start - 50), 0),
      requests: beforeInteractive.length,
      sentKb: beforeInteractive.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024,
    };
  }, REST_MS);
}

interface Noted {
  tasks: { start: number; end: number }[];
  inSight: Promise<number>;
}

/**
 * Runs in the page before all other scripts: records long tasks, and when the first screen is visible with decoded
 * covers.
 */
function note(): void {
  const tasks: Noted['tasks'] = [];
  new PerformanceObserver((list) =>
    tasks.push(
      ...list.getEntries().map(({ startTime, duration }) => ({ start: startTime, end: startTime + duration })),
    ),
  ).observe({ type: 'longtask', buffered: true });
  const isSeen = (element: Element): boolean => {
    const { top, left, width } = element.getBoundingClientRect();
    return width > 0 && top < innerHeight && left < innerWidth;
  };
  const isLoaded = (): boolean => {
    const mainElement = document.querySelector('main');
    const visibleElements = [
      ...(mainElement?.querySelectorAll('[data-track], [data-stop], [data-cover], h2, input') ?? []),
    ].filter(isSeen);
    return (
      visibleElements.length > 0 &&
      ![...mainElement!.querySelectorAll('[class*="skeleton"]')].some(isSeen) &&
      [...document.images].filter(isSeen).every((image) => image.complete)
    );
  };
  const inSight = new Promise<number>((resolve) => {
    const checkFrame = (): void => {
      if (isLoaded()) resolve(performance.now());
      else requestAnimationFrame(checkFrame);
    };
    requestAnimationFrame(checkFrame);
  });
  Object.assign(globalThis, { tasks, inSight } satisfies Noted);
}
