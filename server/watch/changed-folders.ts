// Turns many small changes into few scans: collects changed folders until no more changes come, and holds back folders
// with a file that is still growing. Pure: the times, and a function that reads the state of a file, are passed in.

export interface QuietRules {
  /** Changes are due after this time without new ones; their files must not have changed for as long. */
  quietMs: number;
  /** Changes that never stop are due after this time. */
  maxWaitMs: number;
  /** A growing file delays its folder by at most this time. */
  holdMs: number;
}

export interface FileState {
  size: number;
  mtimeMs: number;
}

interface ChangedFolder {
  firstChangeAt: number;
  hasRemovals: boolean;
  files: Map<string, FileState & { unchangedSince: number }>;
}

interface DueChanges {
  /** Folders from which something vanished. */
  foldersWithRemovals: string[];
  /** Folders in which something appeared or changed. */
  foldersWithFiles: string[];
  /** Number of changes since the last call of `take`. */
  count: number;
}

export function createPendingChanges({ quietMs, maxWaitMs, holdMs }: QuietRules) {
  const changedFolders = new Map<string, ChangedFolder>();
  let firstChangeAt = 0;
  let lastChangeAt = 0;
  let count = 0;

  function recordChange(folder: string, time: number): ChangedFolder {
    if (changedFolders.size === 0) firstChangeAt = time;
    lastChangeAt = time;
    count++;
    const changedFolder = changedFolders.get(folder) ?? { firstChangeAt: time, hasRemovals: false, files: new Map() };
    changedFolders.set(folder, changedFolder);
    return changedFolder;
  }

  /** Returns whether a file of the folder is still being written. */
  function hasGrowingFile(
    changedFolder: ChangedFolder,
    statFile: (name: string) => FileState | undefined,
    time: number,
  ): boolean {
    let isGrowing = false;
    for (const [name, previousState] of changedFolder.files) {
      const currentState = statFile(name);
      if (currentState === undefined) {
        changedFolder.files.delete(name);
        changedFolder.hasRemovals = true;
      } else if (!isSameState(currentState, previousState)) {
        changedFolder.files.set(name, { ...currentState, unchangedSince: time });
        isGrowing = true;
      } else isGrowing ||= time - previousState.unchangedSince < quietMs;
    }
    return isGrowing;
  }

  return {
    /** To be called when a file was created, moved in or written to. */
    noteFile(folder: string, name: string, state: FileState, time: number): void {
      const { files } = recordChange(folder, time);
      const previousState = files.get(name);
      if (!previousState || !isSameState(state, previousState)) files.set(name, { ...state, unchangedSince: time });
    },
    /** To be called when a file or folder in `folder` vanished. */
    noteRemoval(folder: string, time: number): void {
      recordChange(folder, time).hasRemovals = true;
    },
    /** To be called when the system reports a change in `folder`, but not of which file. */
    noteUnknownChange: (folder: string, time: number): void => void recordChange(folder, time),

    /** Returns the time at which to call `take`; undefined while there are no changes. */
    dueAt: (): number | undefined =>
      changedFolders.size === 0 ? undefined : Math.min(lastChangeAt + quietMs, firstChangeAt + maxWaitMs),

    /** Removes and returns the folders that can be scanned now. */
    take(time: number, statFile: (folder: string, name: string) => FileState | undefined): DueChanges {
      const dueChanges: DueChanges = { foldersWithRemovals: [], foldersWithFiles: [], count };
      for (const [folder, changedFolder] of changedFolders) {
        const isGrowing = hasGrowingFile(changedFolder, (name) => statFile(folder, name), time);
        if (isGrowing && time - changedFolder.firstChangeAt < holdMs) continue;
        if (changedFolder.hasRemovals) dueChanges.foldersWithRemovals.push(folder);
        if (!changedFolder.hasRemovals || changedFolder.files.size > 0) dueChanges.foldersWithFiles.push(folder);
        changedFolders.delete(folder);
      }
      [firstChangeAt, lastChangeAt, count] = [time, time, 0];
      return dueChanges;
    },
  };
}

const isSameState = (a: FileState, b: FileState): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs;
