// Every shortcut of the window, for the list that `?` opens; use-shortcuts.ts acts on them.
export const SHORTCUTS = [
  { name: 'search', keys: ['ctrlK', 'slash'] },
  { name: 'playPause', keys: ['space'] },
  { name: 'seek', keys: ['left', 'right'] },
  { name: 'skip', keys: ['ctrlLeft', 'ctrlRight'] },
  { name: 'volume', keys: ['up', 'down'] },
  { name: 'queue', keys: ['q'] },
  { name: 'playFocused', keys: ['p'] },
  { name: 'moveInQueue', keys: ['altUp', 'altDown'] },
  { name: 'removeFromQueue', keys: ['delete'] },
  { name: 'help', keys: ['question'] },
] as const;
