// Watches a virtual list in the page, frame by frame: how much of it is in the document, and how long visible rows
// stay blank.
import type { Page } from 'playwright-core';

interface Frame {
  /** Milliseconds since the start of the recording. */
  timeMs: number;
  /** Number of the list's rows or cells that are in the document. */
  inDocument: number;
  blank: number;
  /** Index of the first visible row or cell. */
  firstVisible: number;
}

export interface ListTrace {
  frames: Frame[];
  /** The longest time that one visible row or cell was blank. */
  longestBlankMs: number;
  /** The longest continuous time in which any visible row or cell was blank. */
  longestUneaseMs: number;
  longestFrameMs: number;
  answers: { count: number; medianMs: number; longestMs: number };
}

interface Watch {
  stop: () => ListTrace;
  isFull: () => boolean;
}

export const startProbe = (page: Page): Promise<void> => page.evaluate(watch);
export const stopProbe = (page: Page): Promise<ListTrace> =>
  page.evaluate(() => (globalThis as unknown as { watch: Watch }).watch.stop());
/** Waits two frames, and then until all visible rows are loaded. */
export const untilFull = async (page: Page): Promise<void> => {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
  await page.waitForFunction(() => (globalThis as unknown as { watch: Watch }).watch.isFull(), undefined, {
    timeout: 60_000,
  });
};

/**
 * Runs in the page: records every frame. A loaded row has the id of its track; a loaded cell has something to focus.
 */
function watch(): void {
  const frames: Frame[] = [];
  const blankSince = new Map<string, number>();
  const startedAt = performance.now();
  let [longestBlankMs, longestUneaseMs, longestFrameMs, previousFrameAt, unease] = [0, 0, 0, startedAt, 0];
  let isRunning = true;
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(20_000);

  const inSight = (): { allRows: NodeListOf<HTMLElement>; visibleRows: HTMLElement[] } => {
    const scroller = document.querySelector('main')!.getBoundingClientRect();
    const grid = document.querySelector('[role="grid"]')!;
    const head = grid.querySelector('[role="columnheader"]')?.getBoundingClientRect().bottom ?? scroller.top;
    const rowElements = grid.querySelectorAll<HTMLElement>('[data-index]');
    return {
      allRows: rowElements,
      visibleRows: [...rowElements].filter((cell) => {
        const { top, bottom } = cell.getBoundingClientRect();
        return bottom > head + 1 && top < scroller.bottom - 1;
      }),
    };
  };
  const isBlank = (cell: HTMLElement): boolean =>
    cell.dataset['track'] === undefined && !cell.querySelector('[data-stop]');

  const recordFrame = (): void => {
    if (!isRunning) return;
    const frameTime = performance.now();
    longestFrameMs = Math.max(longestFrameMs, frameTime - previousFrameAt);
    previousFrameAt = frameTime;
    const { allRows, visibleRows } = inSight();
    const blank = visibleRows.filter(isBlank).map((cell) => cell.dataset['index']!);
    for (const [index, blankFrom] of blankSince) {
      longestBlankMs = Math.max(longestBlankMs, frameTime - blankFrom);
      if (!blank.includes(index)) blankSince.delete(index);
    }
    for (const index of blank) if (!blankSince.has(index)) blankSince.set(index, frameTime);
    unease = blank.length === 0 && visibleRows.length > 0 ? 0 : unease || frameTime;
    if (unease) longestUneaseMs = Math.max(longestUneaseMs, frameTime - unease);
    frames.push({
      timeMs: frameTime - startedAt,
      inDocument: allRows.length,
      blank: visibleRows.length === 0 ? 1 : blank.length,
      firstVisible: Math.min(...visibleRows.map((cell) => Number(cell.dataset['index']))),
    });
    requestAnimationFrame(recordFrame);
  };
  requestAnimationFrame(recordFrame);

  const answers = (): ListTrace['answers'] => {
    const times = performance
      .getEntriesByType('resource')
      .filter(({ name }) => /\/api\/v1\/(tracks|albums)\?/.test(name))
      .map(({ duration }) => duration)
      .toSorted((a, b) => a - b);
    return { count: times.length, medianMs: times[times.length >> 1] ?? 0, longestMs: times.at(-1) ?? 0 };
  };
  Object.assign(globalThis, {
    watch: {
      isFull: () => {
        const { visibleRows } = inSight();
        // while the grid is busy, the visible rows belong to the previous position
        return (
          visibleRows.length > 0 &&
          !visibleRows.some(isBlank) &&
          !document.querySelector('[role="grid"][aria-busy="true"]')
        );
      },
      stop: (): ListTrace => {
        isRunning = false;
        return { frames, longestBlankMs, longestUneaseMs, longestFrameMs, answers: answers() };
      },
    } satisfies Watch,
  });
}
