// The names in a folder, as texts.
import { readdir } from 'node:fs/promises';
import { textOf } from './walk.ts';

/** `absent` when there is no such folder, `unknown` when it cannot be listed: that proves nothing. */
export async function namesIn(folder: string | Buffer): Promise<Set<string> | 'absent' | 'unknown'> {
  try {
    const names = await readdir(folder);
    if (names.some((name) => name.includes('\ufffd')))
      return new Set((await readdir(folder, { encoding: 'buffer' })).map(textOf));
    return new Set(names.map(textOf));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unknown';
  }
}
