// From many small changes to few scans: what changed is noted until nothing more comes, files that still grow are
// waited for, and the rest becomes the smallest set of folders to scan. No clock, no disk: times are handed in, and a
// look at a file is asked for.

export interface QuietRules {
  /** Without news for so long, the changes noted are taken. A file has to look the same for as long. */
  quietMs: number;
  /** When news never stops, they are taken after this time. */
  maxWaitMs: number;
  /** A folder is not held back for longer than this by a file that never stops growing. */
  holdMs: number;
}

export interface FileLook {
  size: number;
  mtimeMs: number;
}

interface Entry {
  since: number;
  isGone: boolean;
  /** With the time since when each has looked like this. */
  files: Map<string, FileLook & { at: number }>;
}

export interface TakenChanges {
  /** Folders out of which something vanished. */
  vanished: string[];
  /** Folders into which something came, or where it changed. */
  present: string[];
  /** Changes noted since the last time. */
  count: number;
}

export function createChangeBook({ quietMs, maxWaitMs, holdMs }: QuietRules) {
  const entries = new Map<string, Entry>();
  let begun = 0;
  let latest = 0;
  let count = 0;

  function entryOf(folder: string, at: number): Entry {
    if (entries.size === 0) begun = at;
    latest = at;
    count++;
    const entry = entries.get(folder) ?? { since: at, isGone: false, files: new Map() };
    entries.set(folder, entry);
    return entry;
  }

  /** True when a file of the folder is still being written. */
  function isGrowing(entry: Entry, look: (name: string) => FileLook | undefined, at: number): boolean {
    let growing = false;
    for (const [name, before] of entry.files) {
      const now = look(name);
      if (now === undefined) {
        entry.files.delete(name);
        entry.isGone = true;
      } else if (!looksSame(now, before)) {
        entry.files.set(name, { ...now, at });
        growing = true;
      } else growing ||= at - before.at < quietMs;
    }
    return growing;
  }

  return {
    /** A file was made, moved in or written to. */
    noteFile(folder: string, name: string, look: FileLook, at: number): void {
      const { files } = entryOf(folder, at);
      const before = files.get(name);
      if (!before || !looksSame(look, before)) files.set(name, { ...look, at });
    },
    /** A file or folder in it vanished. */
    noteGone(folder: string, at: number): void {
      entryOf(folder, at).isGone = true;
    },
    /** Something about it changed that has no name. */
    noteTouched: (folder: string, at: number): void => void entryOf(folder, at),

    /** When to take what is noted; undefined while there is nothing. */
    dueAt: (): number | undefined => (entries.size === 0 ? undefined : Math.min(latest + quietMs, begun + maxWaitMs)),

    /** Takes out what can be scanned now. Folders with a growing file stay for the next time. */
    take(at: number, look: (folder: string, name: string) => FileLook | undefined): TakenChanges {
      const taken: TakenChanges = { vanished: [], present: [], count };
      for (const [folder, entry] of entries) {
        const growing = isGrowing(entry, (name) => look(folder, name), at);
        if (growing && at - entry.since < holdMs) continue;
        if (entry.isGone) taken.vanished.push(folder);
        if (!entry.isGone || entry.files.size > 0) taken.present.push(folder);
        entries.delete(folder);
      }
      [begun, latest, count] = [at, at, 0];
      return taken;
    },
  };
}

export type ChangeBook = ReturnType<typeof createChangeBook>;

const looksSame = (a: FileLook, b: FileLook): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs;
