// Finds the running server of a data folder.
import { join } from 'node:path';
import { z } from 'zod';
import { findAddress } from '../db/data-lock.ts';

const ANSWER_TIMEOUT_MS = 3_000;
const Health = z.object({ status: z.string(), version: z.string() });

/**
 * Returns the server's address. Returns undefined if only a command holds the folder, if the server is of an earlier
 * version, or if it does not answer.
 */
export async function findRunningServer(dataDir: string): Promise<string | undefined> {
  const url = findAddress(join(dataDir, 'tonearm.lock'));
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return Health.safeParse(await response.json()).success ? url : undefined;
  } catch {
    return undefined; // nothing answers, or another program does
  }
}
