import { Link } from '@tanstack/react-router';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { IconMore, IconSearch } from '../../ui/theme/icons.ts';
import { OnDemand } from '../../ui/on-demand.tsx';
import { BOTTOM_NAV_ITEMS } from './nav-items.ts';
import { useNavBadges } from './use-nav-badges.ts';
import styles from './side-bar.module.css';

const MoreItems = lazy(async () => ({ default: (await import('./more-items.tsx')).MoreItems }));

/** Navigation on phones. */
export function BottomBar({ onSearch, onShortcuts }: { onSearch: () => void; onShortcuts: () => void }) {
  const { t } = useTranslation();
  const { openJobs } = useNavBadges();
  const moreButton = (open?: () => void) => (
    <button type="button" className={styles.tab} onClick={open}>
      <IconMore size={22} stroke={1.75} aria-hidden />
      {openJobs > 0 && <span className={styles.dot} aria-hidden />}
      {t('nav.more')}
    </button>
  );
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
      <OnDemand button={(open) => moreButton(open)}>
        <MoreItems onShortcuts={onShortcuts} target={moreButton()} />
      </OnDemand>
    </nav>
  );
}
