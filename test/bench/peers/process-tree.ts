// Measures memory and processor time of a program and all processes that it starts, from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of one tick, the unit in which /proc counts processor time. */
const TICK_MS = 10;
const SAMPLE_MS = 50;
const QUIET_MS = 2_000;
/** Share of one core below which a process counts as idle; a few timers use less. */
const QUIET_SHARE = 0.02;
const QUIET_LIMIT_MS = 300_000;

export interface Meter {
  /** Returns the user and system time of all processes so far, including ended ones. */
  cpuMs(): number;
  rssMb(): number;
  /** Returns the highest memory since the last call. */
  peakRssMb(): number;
  /** Resolves when the program hardly uses the processor any more. */
  waitUntilQuiet(): Promise<void>;
  close(): void;
}

export function meterOf(pid: number): Meter {
  let peak = 0;
  const rssMb = (): number => treeOf(pid).reduce((sum, treePid) => sum + rssOf(treePid), 0);
  const cpuMs = (): number => treeOf(pid).reduce((sum, treePid) => sum + cpuOf(treePid), 0);
  const sample = (): void => {
    peak = Math.max(peak, rssMb());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    cpuMs,
    rssMb,
    peakRssMb() {
      sample();
      const highest = peak;
      peak = 0;
      return highest;
    },
    async waitUntilQuiet() {
      const deadline = performance.now() + QUIET_LIMIT_MS;
      for (let previousCpu = cpuMs(); performance.now() < deadline;) {
        await sleep(QUIET_MS);
        const currentCpuMs = cpuMs();
        if (currentCpuMs - previousCpu < QUIET_MS * QUIET_SHARE) return;
        previousCpu = currentCpuMs;
      }
      throw new Error(`the processor is not quiet after ${QUIET_LIMIT_MS / 1000} s`);
    },
    close: () => clearInterval(timer),
  };
}

/** Returns the process and its descendants. */
function treeOf(pid: number): number[] {
  const treePids = [pid];
  for (const descendant of treePids) treePids.push(...childrenOf(descendant));
  return treePids;
}

/** Returns the children of a process; in /proc a child belongs to the thread that started it. */
const childrenOf = (pid: number): number[] =>
  unlessEnded(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );

function rssOf(pid: number): number {
  const status = unlessEnded(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

function cpuOf(pid: number): number {
  const stat = unlessEnded(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '');
  // utime and stime of the process and of its ended children
  const fields = stat
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 15);
  return fields.reduce((sum, field) => sum + Number(field), 0) * TICK_MS;
}

/** Returns the fallback if the process ended before its files could be read. */
function unlessEnded<T>(readFiles: () => T, fallback: T): T {
  try {
    return readFiles();
  } catch {
    return fallback;
  }
}
