// Optional programs of tests. What is skipped without one is reported once, visibly.
import { spawnSync } from 'node:child_process';

const said = new Set<string>();

/** Path of the program, or undefined after reporting what is not tested without it. */
export function toolOrWarn(name: string, leftOut: string, versionArgument = '-version'): string | undefined {
  if (spawnSync(name, [versionArgument], { stdio: 'ignore' }).status === 0) return name;
  if (!said.has(name)) console.warn(`\n*** ${name} is not installed: ${leftOut} NOT tested. ***\n`);
  said.add(name);
  return undefined;
}
