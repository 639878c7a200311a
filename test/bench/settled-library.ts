// A collection that is flushed to disk before measurements begin, because every flush waits while the machine still
// writes a gigabyte.
import { execFileSync } from 'node:child_process';
import { makeLibrary } from '../support/library.ts';

export function makeSettledLibrary(...[options, dir]: Parameters<typeof makeLibrary>): ReturnType<typeof makeLibrary> {
  const madeLibrary = makeLibrary(options, dir);
  if (process.platform !== 'win32') execFileSync('sync');
  return madeLibrary;
}
