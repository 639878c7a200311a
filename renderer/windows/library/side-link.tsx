import { Link, useMatches, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Icon } from '../../ui/theme/icons.ts';
import nav from '../../ui/controls/nav-link.module.css';

interface SideLinkProps {
  to: string;
  search?: Record<string, string>;
  icon: Icon;
  label: string;
  /** The route above the pages of this item, for items that open one of several pages. */
  layout?: string | undefined;
  /** Displayed after the name. */
  children?: ReactNode;
}

/** An item of the side bar. */
export function SideLink({ to, search, icon: Symbol, label, layout, children }: SideLinkProps) {
  const isInside = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === layout) });
  return (
    <Link
      to={to as NonNullable<LinkProps['to']>}
      search={search as never}
      className={nav.link}
      activeOptions={{ exact: to === '/', includeSearch: search !== undefined }}
      {...(isInside && { 'aria-current': 'page' })}
    >
      <Symbol size={20} stroke={1.75} aria-hidden />
      <span className={nav.name}>{label}</span>
      {children}
    </Link>
  );
}
