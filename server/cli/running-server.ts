// The server that has the data folder already: where it listens, if it answers.
import { join } from 'node:path';
import { z } from 'zod';
import { findAddress } from '../db/data-lock.ts';

const PATIENCE_MS = 3_000;
const Health = z.object({ status: z.string(), version: z.string() });

/** Undefined when it is a command, a server of an earlier version, or one that does not answer. */
export async function findRunningServer(dataDir: string): Promise<string | undefined> {
  const url = findAddress(join(dataDir, 'tonearm.lock'));
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return Health.safeParse(await response.json()).success ? url : undefined;
  } catch {
    return undefined; // nobody answers, or another program
  }
}
