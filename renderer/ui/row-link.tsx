import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { carryCover } from './carry-cover.ts';

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
