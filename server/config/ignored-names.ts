// Names of files and folders that scans leave out by default (LOCAL_MEDIA_IGNORE).

/** Bins, previews and snapshots of Synology, QNAP, Windows and macOS. Those whose names begin with a dot are hidden. */
export const IGNORED_NAMES = [
  '#recycle',
  '#snapshot',
  '@Recycle',
  '@Recently-Snapshot',
  '@eaDir',
  '@tmp',
  '@SynoResource',
  '$RECYCLE.BIN',
  '/RECYCLER',
  'lost+found',
  'System Volume Information',
  'found.000',
  '__MACOSX',
  'Network Trash Folder',
  'Temporary Items',
];
