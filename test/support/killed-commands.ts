// Kills commands at random moments of their work, counted in changes of the data folder and not in time.
import { mkdirSync, watch } from 'node:fs';
import { runServer } from './process.ts';

interface Counted {
  /** Number of changes of the folder's files. */
  changes: number;
  isKilled: boolean;
  output: string;
}

/** Runs a command, and kills it after this number of changes if it has not ended before. */
export async function runUntil(
  dir: string,
  args: string[],
  env: Record<string, string>,
  changes = Infinity,
): Promise<Counted> {
  mkdirSync(dir, { recursive: true });
  let seenLines = 0;
  const watcher = watch(dir, () => seenLines++);
  try {
    const killWhen = (): boolean => seenLines >= changes;
    const { code, stdout, stderr } = await runServer([...args, '--data-dir', dir], env, { killWhen });
    return { changes: seenLines, isKilled: code === null, output: stdout + stderr };
  } finally {
    watcher.close();
  }
}
