// Programs that a test needs and a machine may not have. What is left out without one is said once, loudly.
import { spawnSync } from 'node:child_process';

const said = new Set<string>();

/** Path of the program by its name, or undefined after saying what is not tested without it. */
export function toolOrWarn(name: string, leftOut: string, versionArgument = '-version'): string | undefined {
  if (spawnSync(name, [versionArgument], { stdio: 'ignore' }).status === 0) return name;
  if (!said.has(name)) console.warn(`\n*** ${name} is not installed: ${leftOut} NOT tested. ***\n`);
  said.add(name);
  return undefined;
}
