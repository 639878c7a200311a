// Turns many small changes into few scans: collects changed folders until nothing more comes, and keeps those with a
// file that is still growing for the next time. Pure: times, and looks at files, are passed in.

export interface QuietRules {
  /** Changes are taken after this time without new ones; their files must not have changed for as long. */
  quietMs: number;
  /** Changes that never stop are taken after this time. */
  maxWaitMs: number;
  /** The longest that a growing file delays its folder. */
  holdMs: number;
}

export interface FileLook {
  size: number;
  mtimeMs: number;
}

interface Entry {
  since: number;
  isGone: boolean;
  /** `at`: since when each has looked like this. */
  files: Map<string, FileLook & { at: number }>;
}

interface TakenChanges {
  /** Folders from which something vanished. */
  vanished: string[];
  /** Folders in which something appeared or changed. */
  present: string[];
  /** Changes since the last time. */
  count: number;
}

export function createPendingChanges({ quietMs, maxWaitMs, holdMs }: QuietRules) {
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
    /** A file was created, moved in or written to. */
    noteFile(folder: string, name: string, look: FileLook, at: number): void {
      const { files } = entryOf(folder, at);
      const before = files.get(name);
      if (!before || !looksSame(look, before)) files.set(name, { ...look, at });
    },
    /** A file or folder in it vanished. */
    noteGone(folder: string, at: number): void {
      entryOf(folder, at).isGone = true;
    },
    /** Something changed, and the system did not say what. */
    noteTouched: (folder: string, at: number): void => void entryOf(folder, at),

    /** When to take them; undefined while there are none. */
    dueAt: (): number | undefined => (entries.size === 0 ? undefined : Math.min(latest + quietMs, begun + maxWaitMs)),

    /** Removes and gives what can be scanned now. */
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

const looksSame = (a: FileLook, b: FileLook): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs;
