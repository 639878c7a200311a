import { createContext } from 'react';

/** The parts of the window that can be opened by name. */
interface WindowParts {
  onQueue: () => void;
  onPlayer: () => void;
  onShortcuts: () => void;
  /** Opens the choice of pages in the side bar. */
  onCustomize: () => void;
  /** Opens the devices and the settings of playback. */
  onDevices: () => void;
}

export const WindowPartsContext = createContext<WindowParts>({
  onQueue: () => {},
  onPlayer: () => {},
  onShortcuts: () => {},
  onCustomize: () => {},
  onDevices: () => {},
});
