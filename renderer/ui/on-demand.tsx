import { Suspense, useState, type ReactNode } from 'react';

interface OnDemandProps {
  /** Shown until its menu was wanted once, and while that loads. */
  button: (open: () => void) => ReactNode;
  /** The same button with its menu, open: a lazy component. */
  children: ReactNode;
}

/** A button whose menu is loaded when it is first wanted: a window is there sooner without. */
export function OnDemand({ button, children }: OnDemandProps) {
  const [isWanted, setWanted] = useState(false);
  const plain = button(() => setWanted(true));
  return isWanted ? <Suspense fallback={plain}>{children}</Suspense> : plain;
}
