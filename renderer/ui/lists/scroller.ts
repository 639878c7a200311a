// The only scrolling element of a window. Virtual lists measure their position in it.
import { createContext, useContext, useLayoutEffect, useState, type RefObject } from 'react';

export const ScrollerContext = createContext<HTMLElement | null>(null);

export const useScroller = (): HTMLElement | null => useContext(ScrollerContext);

/** Returns an element's offset from the top of the scrolled content, and its width. */
export function usePlaceInScroller(ref: RefObject<HTMLElement | null>): { top: number; width: number } {
  const scroller = useScroller();
  const [place, setPlace] = useState({ top: 0, width: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element || !scroller) return undefined;
    const measure = () => {
      const top = Math.round(
        element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop,
      );
      const width = Math.floor(element.getBoundingClientRect().width);
      setPlace((now) => (now.top === top && now.width === width ? now : { top, width }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    return () => observer.disconnect();
  }, [ref, scroller]);
  return place;
}
