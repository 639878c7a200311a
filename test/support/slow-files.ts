// Adds the slowest test files to vitest's report, slowest first.
import type { Reporter, TestModule } from 'vitest/node';

const LONG_MS = 20_000;

export default class SlowFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const slowModules = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .filter(({ ms }) => ms > LONG_MS)
      .toSorted((a, b) => b.ms - a.ms);
    if (slowModules.length === 0) return;
    const lines = slowModules.map(({ name, ms }) => `${String(Math.round(ms / 1_000)).padStart(5)} s  ${name}`);
    console.log([`Files that took more than ${LONG_MS / 1_000} s:`, ...lines].join('\n'));
  }
}
