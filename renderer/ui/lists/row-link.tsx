import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

const still = matchMedia('(prefers-reduced-motion: reduce)');

interface RowLinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** A page of this window. */
  href: string;
}

/**
 * A link for lists. The router's own also subscribes to the URL and preloads, which costs more than the rest of the
 * row.
 */
export function RowLink({ href, ...rest }: RowLinkProps) {
  const router = useRouter();
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate({ to: href, viewTransition: carryCover(event.currentTarget) });
  };
  return <a href={href} {...rest} onClick={go} />;
}

/**
 * Whether the link shows a cover to carry along: that of a card becomes the cover of its page, which has the same name
 * in the view transition (hero.module.css).
 */
function carryCover(link: Element): boolean {
  const cover = link.querySelector<HTMLElement>('[data-cover]');
  if (!cover || still.matches || typeof document.startViewTransition !== 'function') return false;
  // a name may be on the page once
  for (const other of document.querySelectorAll<HTMLElement>('[data-cover]')) other.style.viewTransitionName = 'none';
  cover.style.viewTransitionName = 'cover';
  return true;
}
