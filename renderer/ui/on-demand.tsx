import { Suspense, useState, type ReactNode } from 'react';

interface OnDemandProps {
  /** Displayed until the first click, and while the menu loads. */
  button: (open: () => void) => ReactNode;
  /** A lazy component: the same button with its menu, opened. */
  children: ReactNode;
}

/** A button whose menu is loaded on the first click, so that the window opens faster. */
export function OnDemand({ button, children }: OnDemandProps) {
  const [isWanted, setWanted] = useState(false);
  const plainButton = button(() => setWanted(true));
  return isWanted ? <Suspense fallback={plainButton}>{children}</Suspense> : plainButton;
}
