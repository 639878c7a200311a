// Measures with the browser's own means how long a page takes from a click or a key to the next frame, and how much its
// layout moves by itself.
import type { BrowserContext, Page } from 'playwright-core';

/** The shortest interaction that browsers report. */
const REPORTED_FROM_MS = 16;

export interface Noted {
  /** Interactions of `REPORTED_FROM_MS` or more. */
  interactions: { startMs: number; ms: number; description: string }[];
  /** Number of all interactions, including shorter ones. */
  count: number;
  shifts: { startMs: number; value: number; description: string }[];
}

export const noteInteractions = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(note, REPORTED_FROM_MS);

export const interactionsOf = (page: Page): Promise<Noted> =>
  page.evaluate(() => (globalThis as unknown as { interactions: () => Noted }).interactions());

/** Returns a percentile of all interactions; unreported interactions count as `REPORTED_FROM_MS`. */
export function percentile(observations: readonly Noted[], share: number): number {
  const durations = observations.flatMap(({ interactions }) => interactions.map(({ ms }) => ms));
  const count = observations.reduce(
    (sum, observation) => sum + Math.max(observation.count, observation.interactions.length),
    0,
  );
  const allDurations = [...Array<number>(count - durations.length).fill(REPORTED_FROM_MS), ...durations].toSorted(
    (a, b) => a - b,
  );
  return allDurations[Math.ceil(allDurations.length * share) - 1] ?? 0;
}

/**
 * Returns the largest sum of layout shifts within five seconds with less than one second between two shifts, as
 * browsers define it.
 */
export function layoutShift({ shifts }: Noted): number {
  let [maxSum, sum, firstShiftAt, lastShiftAt] = [0, 0, -Infinity, -Infinity];
  for (const { startMs, value } of shifts) {
    if (startMs - lastShiftAt > 1_000 || startMs - firstShiftAt > 5_000) [sum, firstShiftAt] = [0, startMs];
    lastShiftAt = startMs;
    sum += value;
    maxSum = Math.max(maxSum, sum);
  }
  return maxSum;
}

interface EventTiming extends PerformanceEntry {
  interactionId: number;
  target: Element | null;
}
interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

/** Runs in the page: records interactions and layout shifts. */
function note(reportedFrom: number): void {
  const byInteraction = new Map<number, Noted['interactions'][number]>();
  const shifts: Noted['shifts'] = [];
  const describeNode = (node: Node | null): string =>
    node instanceof Element
      ? `${node.tagName.toLowerCase()}${[...node.classList].map((name) => `.${name}`).join('')}`
      : String(node?.nodeName);
  const events = new PerformanceObserver((entryList) => {
    for (const { interactionId, startTime, duration, name, target } of entryList.getEntries() as EventTiming[])
      if (interactionId > 0 && duration > (byInteraction.get(interactionId)?.ms ?? 0))
        byInteraction.set(interactionId, {
          startMs: startTime,
          ms: duration,
          description: `${name} ${describeNode(target)}`,
        });
  });
  events.observe({ type: 'event', durationThreshold: reportedFrom, buffered: true } as PerformanceObserverInit);
  new PerformanceObserver((entryList) => {
    for (const { value, startTime, hadRecentInput, sources } of entryList.getEntries() as LayoutShift[])
      if (!hadRecentInput)
        shifts.push({
          startMs: startTime,
          value,
          description: sources.map(({ node }) => describeNode(node)).join(', '),
        });
  }).observe({ type: 'layout-shift', buffered: true });
  Object.assign(globalThis, {
    interactions: (): Noted => ({
      interactions: [...byInteraction.values()],
      count: (performance as unknown as { interactionCount?: number }).interactionCount ?? byInteraction.size,
      shifts,
    }),
  });
}
