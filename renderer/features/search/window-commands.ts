// The table of the window's commands and keys. The palette lists those that it can run, and `?` those with keys.
// windows/library/use-shortcuts.ts and player/use-player-keys.ts implement the keys; those of items are keys of their
// actions, in music/actions.ts.
interface WindowCommand {
  name: string;
  /** The key of its name. */
  text: string;
  isInPalette?: true;
  keys?: readonly string[];
}

export const WINDOW_COMMANDS = [
  { name: 'search', text: 'shortcuts.search', keys: ['ctrlK', 'slash'] },
  { name: 'playPause', text: 'player.playOrPause', isInPalette: true, keys: ['space'] },
  { name: 'seek', text: 'shortcuts.seek', keys: ['left', 'right'] },
  { name: 'next', text: 'player.next', isInPalette: true, keys: ['ctrlRight'] },
  { name: 'previous', text: 'player.previous', isInPalette: true, keys: ['ctrlLeft'] },
  { name: 'shuffle', text: 'player.shuffle', isInPalette: true },
  { name: 'volume', text: 'shortcuts.volume', keys: ['up', 'down'] },
  { name: 'queue', text: 'queue.queue', isInPalette: true, keys: ['q'] },
  { name: 'fullScreen', text: 'player.fullScreen', isInPalette: true, keys: ['f'] },
  { name: 'devices', text: 'devices.title', isInPalette: true },
  { name: 'like', text: 'shortcuts.like', keys: ['l'] },
  { name: 'rate', text: 'shortcuts.rate', keys: ['digits'] },
  { name: 'edit', text: 'shortcuts.edit', keys: ['e'] },
  { name: 'playFocused', text: 'shortcuts.playFocused', keys: ['p'] },
  { name: 'takeBack', text: 'shortcuts.takeBack', keys: ['ctrlZ'] },
  { name: 'moveInQueue', text: 'shortcuts.moveInQueue', keys: ['altUp', 'altDown'] },
  { name: 'removeFromQueue', text: 'shortcuts.removeFromQueue', keys: ['delete'] },
  { name: 'selectAll', text: 'shortcuts.selectAll', keys: ['ctrlA'] },
  { name: 'newPlaylist', text: 'playlist.new', isInPalette: true },
  { name: 'newSmartPlaylist', text: 'playlist.newSmart', isInPalette: true },
  { name: 'addMusic', text: 'nav.addMusic', isInPalette: true },
  { name: 'sharedByYou', text: 'share.title', isInPalette: true },
  { name: 'scan', text: 'scan.start', isInPalette: true },
  { name: 'customize', text: 'sideBar.title', isInPalette: true },
  { name: 'settings', text: 'nav.settings', isInPalette: true, keys: ['ctrlComma'] },
  { name: 'help', text: 'shortcuts.title', isInPalette: true, keys: ['question'] },
] as const satisfies readonly WindowCommand[];

type Entry = (typeof WINDOW_COMMANDS)[number];
export type PaletteCommand = Extract<Entry, { isInPalette: true }>;
export type KeyedCommand = Extract<Entry, { keys: readonly string[] }>;

export const isInPalette = (entry: Entry): entry is PaletteCommand => 'isInPalette' in entry;
export const hasKeys = (entry: Entry): entry is KeyedCommand => 'keys' in entry;
