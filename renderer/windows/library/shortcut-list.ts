// Every shortcut of the window, as listed by `?`. use-shortcuts.ts implements them; those of items (like, edit, play)
// are keys of their actions, in music/actions.ts.
export const SHORTCUTS = [
  { name: 'search', keys: ['ctrlK', 'slash'] },
  { name: 'playPause', keys: ['space'] },
  { name: 'seek', keys: ['left', 'right'] },
  { name: 'skip', keys: ['ctrlLeft', 'ctrlRight'] },
  { name: 'volume', keys: ['up', 'down'] },
  { name: 'queue', keys: ['q'] },
  { name: 'fullScreen', keys: ['f'] },
  { name: 'like', keys: ['l'] },
  { name: 'rate', keys: ['digits'] },
  { name: 'edit', keys: ['e'] },
  { name: 'playFocused', keys: ['p'] },
  { name: 'takeBack', keys: ['ctrlZ'] },
  { name: 'moveInQueue', keys: ['altUp', 'altDown'] },
  { name: 'removeFromQueue', keys: ['delete'] },
  { name: 'selectAll', keys: ['ctrlA'] },
  { name: 'settings', keys: ['ctrlComma'] },
  { name: 'help', keys: ['question'] },
] as const;
