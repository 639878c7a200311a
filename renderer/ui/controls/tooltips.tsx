// Displays `data-tip` at the pointer or focus after a short delay. The window has a single tooltip, because a list has
// hundreds of elements with tips. The tooltip repeats the accessible name, so it is hidden from screen readers.
import { useEffect, useRef, useState } from 'react';
import styles from './tooltips.module.css';

const DELAY_MS = 400;
const GAP = 6;

export function Tooltips() {
  const [hoveredElement, setOver] = useState<HTMLElement | null>(null);
  const tip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let next: HTMLElement | null = null;
    /** Hides the tooltip until another element is hovered. */
    const hide = () => {
      clearTimeout(timer);
      setOver(null);
    };
    const point = (to: HTMLElement | null) => {
      if (to === next) return;
      next = to;
      hide();
      if (to) timer = setTimeout(() => setOver(to), DELAY_MS);
    };
    const tipped = (target: EventTarget | null) =>
      target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
    const listen = new AbortController();
    const options = { signal: listen.signal, passive: true, capture: true };
    addEventListener(
      'pointerover',
      (event) => {
        if (event.pointerType !== 'touch') point(tipped(event.target));
      },
      options,
    );
    addEventListener(
      'focusin',
      (event) => {
        if ((event.target as Element).matches(':focus-visible')) point(tipped(event.target));
      },
      options,
    );
    for (const name of ['focusout', 'pointerdown', 'keydown', 'scroll', 'blur'] as const)
      addEventListener(name, hide, options);
    return () => {
      hide();
      listen.abort();
    };
  }, []);

  useEffect(() => {
    const box = hoveredElement?.getBoundingClientRect();
    if (!box || !tip.current) return;
    const { offsetWidth: width, offsetHeight: height } = tip.current;
    const topAbove = box.top - height - GAP;
    tip.current.style.top = `${topAbove > 0 ? topAbove : box.bottom + GAP}px`;
    const centred = box.left + (box.width - width) / 2;
    tip.current.style.left = `${Math.max(GAP, Math.min(innerWidth - width - GAP, centred))}px`;
  }, [hoveredElement]);

  return hoveredElement?.isConnected ? (
    <div ref={tip} role="tooltip" aria-hidden className={styles.tip}>
      {hoveredElement.dataset['tip']}
    </div>
  ) : null;
}
