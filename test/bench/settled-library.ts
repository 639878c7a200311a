// A collection that is flushed to disk before anything is measured: while a machine still writes a gigabyte, every
// flush waits for it.
import { execFileSync } from 'node:child_process';
import { makeLibrary } from '../support/library.ts';

export function makeSettledLibrary(...[options, dir]: Parameters<typeof makeLibrary>): ReturnType<typeof makeLibrary> {
  const madeLibrary = makeLibrary(options, dir);
  if (process.platform !== 'win32') execFileSync('sync');
  return madeLibrary;
}
