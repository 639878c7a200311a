// The cover of a card becomes the cover of its page: both have the same name in a view transition (hero.module.css).
const NAME = 'cover';
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the link shows a cover to carry along to the page it leads to. */
export function carryCover(link: Element): boolean {
  const cover = link.querySelector<HTMLElement>('[data-cover]');
  if (!cover || still.matches || typeof document.startViewTransition !== 'function') return false;
  // a name may be on the page once
  for (const other of document.querySelectorAll<HTMLElement>('[data-cover]')) other.style.viewTransitionName = 'none';
  cover.style.viewTransitionName = NAME;
  return true;
}
