// What the shell keeps for itself, in one small file of its profile: a few choices, the language, where windows were. A
// file that cannot be read counts as none; one that cannot be written is no reason to stop.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const Place = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(200).max(20_000),
  height: z.int().min(200).max(20_000),
  isMaximized: z.boolean(),
});

const Kept = z.object({
  keepRunning: z.boolean().catch(false),
  mediaKeys: z.boolean().catch(false),
  lookForUpdates: z.boolean().catch(false),
  language: z.string().max(35).optional().catch(undefined),
  places: z.object({ library: Place, player: Place, settings: Place }).partial().catch({}),
});
export type Kept = z.output<typeof Kept>;

export type ShellFile = ReturnType<typeof openShellFile>;

export function openShellFile(path: string) {
  let kept = Kept.safeParse(read(path)).data ?? Kept.parse({});
  return {
    get: (): Kept => kept,
    change(change: Partial<Kept>): void {
      kept = { ...kept, ...change };
      tryWrite(path, JSON.stringify(kept, undefined, 2));
    },
  };
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch {
    // a full disk or a read-only profile: the choice holds until the app ends
  }
}
