// The keys of the library window, in addition to the player's. features/search/window-commands.ts lists all keys.
import { usePlayerKeys } from '../../player/use-player-keys.ts';
import { undoLatest } from '../../ui/controls/undo-notice.tsx';

interface ShortcutActions {
  onSearch: () => void;
  /** Returns the action of a letter key on the focused item. */
  actionOfKey: (key: string) => (() => void) | undefined;
  onSettings: () => void;
  onShortcuts: () => void;
  onQueue: () => void;
  onFullScreen: () => void;
}

export function useShortcuts({
  onSearch,
  actionOfKey,
  onSettings,
  onShortcuts,
  onQueue,
  onFullScreen,
}: ShortcutActions): void {
  usePlayerKeys(({ ctrlKey, metaKey, key }) =>
    ctrlKey || metaKey
      ? { k: onSearch, z: undoLatest, ',': onSettings }[key]
      : ({ '/': onSearch, '?': onShortcuts, q: onQueue, f: onFullScreen }[key] ?? actionOfKey(key)),
  );
}
