import { useCallback, useRef, useState } from 'react';
import type { Removable } from './removals.ts';

/** Chosen rows by id, so that they stay chosen while the list changes under them. */
export function useSelection(item: (index: number) => Removable | undefined) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Removable>>(new Map());
  const anchor = useRef(0);

  const toggle = useCallback((index: number, range: boolean) => {
    const track = item(index);
    if (!track) return;
    const [first, last] = range ? [Math.min(anchor.current, index), Math.max(anchor.current, index)] : [index, index];
    anchor.current = index;
    setChosen((before) => {
      const next = new Map(before);
      const on = !before.has(track.id);
      for (let i = first; i <= last; i += 1) {
        const one = item(i);
        if (!one) continue;
        if (on) next.set(one.id, one);
        else next.delete(one.id);
      }
      return next;
    });
  }, [item]);

  return {
    chosen,
    toggle,
    clear: useCallback(() => setChosen(new Map()), []),
    choose: useCallback((tracks: readonly Removable[]) => setChosen(new Map(tracks.map((track) => [track.id, track]))), []),
  };
}
