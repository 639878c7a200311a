import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { optionalPart } from '../../api/optional-part.ts';
import { IconMore, IconSearch } from '../../ui/theme/icons.ts';
import { OnDemand } from '../../ui/on-demand.tsx';
import { BOTTOM_NAV_ITEMS } from './nav-items.ts';
import styles from './side-bar.module.css';

const CareDot = optionalPart(async () => (await import('./side-extras.tsx')).CareDot);
const MoreItems = lazy(async () => ({ default: (await import('./more-items.tsx')).MoreItems }));

/** Navigation on phones. */
export function BottomBar({
  onSearch,
  ...menu
}: {
  onSearch: () => void;
  onShortcuts: () => void;
  onCustomize: () => void;
}) {
  const { t } = useTranslation();
  const moreButton = (open?: () => void) => (
    <button type="button" className={styles.tab} onClick={open}>
      <IconMore size={22} stroke={1.75} aria-hidden />
      <Suspense>
        <CareDot />
      </Suspense>
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
        <MoreItems {...menu} target={moreButton()} />
      </OnDemand>
    </nav>
  );
}
