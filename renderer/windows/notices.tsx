// The notices. They appear above everything that is marked with `data-bottom`: the player, the files that are being
// added, the bar of a selection and lasting notices. What is at the bottom of the window is stacked only here.
import { Notifications, useNotifications } from '@mantine/notifications';
import { useEffect } from 'react';

const GAP = 16;
const ROOT = '.mantine-Notifications-root[data-position="bottom-center"]';

export function Notices() {
  const hasNotices = useNotifications().notifications.length > 0;
  useEffect(() => (hasNotices ? followBottom() : undefined), [hasNotices]);
  return <Notifications position="bottom-center" limit={4} containerWidth={400} />;
}

/** Keeps the notices above what is at the bottom. Returns the function that ends this. */
function followBottom(): () => void {
  let frame = 0;
  const place = () => {
    frame = 0;
    document.documentElement.style.setProperty('--notices-bottom', `${freeBottom()}px`);
  };
  const placeSoon = () => {
    frame ||= requestAnimationFrame(place);
  };
  const elements = new MutationObserver(placeSoon);
  elements.observe(document.body, { childList: true, subtree: true });
  const listen = new AbortController();
  for (const event of ['scroll', 'resize', 'transitionend'])
    addEventListener(event, placeSoon, { capture: true, passive: true, signal: listen.signal });
  place();
  return () => {
    cancelAnimationFrame(frame);
    elements.disconnect();
    listen.abort();
  };
}

/** Returns the distance of the notices from the lower edge of the window. */
function freeBottom(): number {
  const height = document.querySelector(ROOT)?.getBoundingClientRect().height ?? 0;
  const boxes = [...document.querySelectorAll('[data-bottom]')]
    .map((element) => element.getBoundingClientRect())
    .sort((a, b) => b.bottom - a.bottom);
  let edge = innerHeight;
  for (const box of boxes) if (box.top < edge && box.bottom > edge - height - 2 * GAP) edge = box.top;
  return innerHeight - edge + GAP;
}
