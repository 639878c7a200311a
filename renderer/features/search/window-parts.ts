import { createContext } from 'react';

/** The parts of the window that can be opened by name. */
interface WindowParts {
  onQueue: () => void;
  onPlayer: () => void;
  onShortcuts: () => void;
  /** Opens the choice of pages in the side bar. */
  onCustomize: () => void;
}

export const WindowPartsContext = createContext<WindowParts>({
  onQueue: () => {},
  onPlayer: () => {},
  onShortcuts: () => {},
  onCustomize: () => {},
});
