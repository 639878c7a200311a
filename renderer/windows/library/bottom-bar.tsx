import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconMore, IconSearch } from '../../ui/icons.ts';
import { formatNumber } from '../../ui/format.ts';
import { AccountMenu } from './account-menu.tsx';
import { BOTTOM_NAV_ITEMS, MENU_NAV_ITEMS } from './nav-items.ts';
import { useNavBadges } from './use-nav-badges.ts';
import styles from './side-bar.module.css';

/** Navigation on phones. */
export function BottomBar({ onSearch, onShortcuts }: { onSearch: () => void; onShortcuts: () => void }) {
  const { t } = useTranslation();
  const { openJobs, countOf, isShown } = useNavBadges();
  return (
    <nav className={styles.bar} aria-label={t('nav.label')}>
      {BOTTOM_NAV_ITEMS.map(({ to, name, icon: Symbol }) => (
        <Link key={to} to={to} className={styles.tab} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Symbol size={22} stroke={1.75} aria-hidden />
          {t(`nav.${name}`)}
        </Link>
      ))}
      <button type="button" className={styles.tab} onClick={onSearch}>
        <IconSearch size={22} stroke={1.75} aria-hidden />
        {t('nav.search')}
      </button>
      <AccountMenu
        onShortcuts={onShortcuts}
        target={
          <button type="button" className={styles.tab}>
            <IconMore size={22} stroke={1.75} aria-hidden />
            {openJobs > 0 && <span className={styles.dot} aria-hidden />}
            {t('nav.more')}
          </button>
        }
      >
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
    </nav>
  );
}
