import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

const still = matchMedia('(prefers-reduced-motion: reduce)');

interface RowLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** The path of a page in this window. */
  href: string;
}

/**
 * A link for lists. The router's own link also subscribes to the URL and preloads, which costs more than the rest of
 * the row.
 */
export function RowLink({ href, ...rest }: RowLinkProps) {
  const router = useRouter();
  const openLink = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate({ to: href, viewTransition: carryCover(event.currentTarget) });
  };
  return <a href={href} {...rest} onClick={openLink} />;
}

/**
 * Marks the cover in the link for the view transition, in which it becomes the cover of the page with the same
 * transition name (hero.module.css). Returns whether the link contains a cover.
 */
function carryCover(link: Element): boolean {
  const cover = link.querySelector<HTMLElement>('[data-cover]');
  if (!cover || still.matches || typeof document.startViewTransition !== 'function') return false;
  // a transition name must be unique on the page
  for (const otherCover of document.querySelectorAll<HTMLElement>('[data-cover]'))
    otherCover.style.viewTransitionName = 'none';
  cover.style.viewTransitionName = 'cover';
  return true;
}
