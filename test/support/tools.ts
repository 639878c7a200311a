// Optional programs of tests. What is skipped without one is reported once, visibly.
import { spawnSync } from 'node:child_process';
import { sayLeftOut } from './left-out.ts';

/** Path of the program, or undefined after reporting what is not tested without it. */
export function toolOrWarn(name: string, leftOut: string, versionArgument = '-version'): string | undefined {
  if (spawnSync(name, [versionArgument], { stdio: 'ignore' }).status === 0) return name;
  sayLeftOut(`${name} is not installed: ${leftOut} NOT tested.`);
  return undefined;
}
