import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { AccountMenu } from './account-menu.tsx';
import { MENU_NAV_ITEMS } from './nav-items.ts';
import { useNavBadges } from './use-nav-badges.ts';
import styles from './side-bar.module.css';

/** The menu of items that are not in the bottom bar of a phone. */
export function MoreItems({ onShortcuts, target }: { onShortcuts: () => void; target: ReactElement }) {
  const { t } = useTranslation();
  const { countOf, isShown } = useNavBadges();
  return (
    <AccountMenu onShortcuts={onShortcuts} target={target}>
      {MENU_NAV_ITEMS.filter(isShown).map(({ to, name, icon: Symbol }) => (
        <Menu.Item
          key={to}
          leftSection={<Symbol size={16} aria-hidden />}
          rightSection={countOf(name) > 0 && <span className={styles.count}>{formatNumber(countOf(name))}</span>}
          renderRoot={(props) => <Link to={to} {...props} />}
        >
          {t(`nav.${name}`)}
        </Menu.Item>
      ))}
      <Menu.Divider />
    </AccountMenu>
  );
}
