// Measures the memory of a page during an action: its script heap, and the private memory of its process.
import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';

const EVERY_MS = 500;
const BYTES_PER_MB = 1024 * 1024;

export interface Memory {
  heapMb: number;
  processMb: number;
  /** Memory of the process after garbage collection. */
  keptMb: number;
}

/** Measures the maximum memory from now until `stop` is called. */
export async function watchMemory(browser: Browser, page: Page): Promise<{ stop: () => Promise<Memory> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await keepNoAnswers(page);
  const pids = await rendererPids(browser);
  const peak = { heapMb: 0, processMb: 0 };
  const readMemory = async (): Promise<void> => {
    peak.heapMb = Math.max(peak.heapMb, await heapMb(session));
    peak.processMb = Math.max(peak.processMb, ...pids.map(privateMb));
  };
  await readMemory();
  let pendingLook = Promise.resolve();
  const timer = setInterval(() => {
    pendingLook = pendingLook.then(readMemory).catch(() => clearInterval(timer));
  }, EVERY_MS); // measures until the page is closed
  return {
    async stop() {
      clearInterval(timer);
      await pendingLook;
      await readMemory();
      await session.send('HeapProfiler.collectGarbage');
      await page.waitForTimeout(EVERY_MS);
      const keptMb = Math.max(...pids.map(privateMb));
      await session.detach();
      return { ...peak, keptMb };
    },
  };
}

interface Driven {
  _connection: {
    toImpl: (page: Page) => {
      delegate: { _mainFrameSession: { _client: { send: (method: string) => Promise<unknown> } } };
    };
  };
}

/**
 * Keeps the browser from storing responses for the driver, which it does in the page's own process, up to 100 MB. No
 * user's browser does that.
 */
const keepNoAnswers = (page: Page): Promise<unknown> =>
  (page as unknown as Driven)._connection.toImpl(page).delegate._mainFrameSession._client.send('Network.disable');

async function heapMb(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / BYTES_PER_MB;
}

async function rendererPids(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** Returns the memory that would be free if the process ended; 0 after its end, and without /proc. */
function privateMb(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0) / 1024;
  } catch {
    return 0;
  }
}
