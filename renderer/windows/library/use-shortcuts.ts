// The keys of the library window, besides the player's. shortcuts.ts lists all of them.
import { usePlayerKeys } from '../../player/use-player-keys.ts';
import { undoLatest } from '../../ui/controls/undo-notice.tsx';

interface ShortcutActions {
  onSearch: () => void;
  /** What a letter does with the item that has the focus. */
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
