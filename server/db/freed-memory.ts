// glibc keeps memory that was freed for whoever asks next: once SQLite has given up its cache, tens of megabytes of
// whole pages. `malloc_trim` returns them to the system. Node has no call for it, but SQLite loads libraries and calls
// a function of one. Its arguments mean nothing to `malloc_trim` (the end of the heap stays, all other pages go), and
// what that returns, 1 for "memory was returned", SQLite takes for an error.

const GLIBC = 'libc.so.6';
const TRIMMED = /^error during initialization/;

/** A connection of better-sqlite3, whose types do not tell of the second argument. */
interface Loader {
  loadExtension(path: string, entryPoint?: string): unknown;
}

/** Returns freed memory to the system; takes some milliseconds. False where there is no glibc. */
export function returnFreedMemory(client: Loader): boolean {
  if (process.platform !== 'linux') return false;
  try {
    client.loadExtension(GLIBC, 'malloc_trim');
    return true; // there was nothing to return
  } catch (error) {
    return error instanceof Error && TRIMMED.test(error.message);
  }
}
