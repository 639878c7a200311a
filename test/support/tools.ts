// Finds optional programs of tests. Tests that are skipped without a program are reported once, visibly.
import { spawnSync } from 'node:child_process';
import { sayLeftOut } from './left-out.ts';

/** Returns the path of the program; undefined, after a report of what is not tested, if it is missing. */
export function toolOrWarn(name: string, leftOut: string, versionArgument = '-version'): string | undefined {
  if (spawnSync(name, [versionArgument], { stdio: 'ignore' }).status === 0) return name;
  sayLeftOut(`${name} is not installed: ${leftOut} NOT tested.`);
  return undefined;
}
