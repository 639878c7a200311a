import { createContext } from 'react';
import type { Icon } from '../../ui/theme/icons.ts';

/** The parts of the window that can be opened by name. */
interface WindowParts {
  pages: readonly { to: string; label: string; icon: Icon }[];
  onQueue: () => void;
  onPlayer: () => void;
  onShortcuts: () => void;
}

export const WindowPartsContext = createContext<WindowParts>({
  pages: [],
  onQueue: () => {},
  onPlayer: () => {},
  onShortcuts: () => {},
});
