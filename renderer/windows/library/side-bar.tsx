import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconSearch } from '../../ui/theme/icons.ts';
import { useSession } from '../../api/session.ts';
import { SidePlaylists } from '../../features/playlists/side-playlists.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatNumber } from '../../ui/format.ts';
import { OnDemand } from '../../ui/on-demand.tsx';
import nav from '../../ui/controls/nav-link.module.css';
import { NAV_ITEMS } from './nav-items.ts';
import { useNavBadges } from './use-nav-badges.ts';
import styles from './side-bar.module.css';

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

/** The side bar; `children` are displayed above the account. */
export function SideBar({
  onSearch,
  onShortcuts,
  children,
}: {
  onSearch: () => void;
  onShortcuts: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const { openJobs, countOf, isShown } = useNavBadges();
  const name = useSession()?.user.username ?? '';
  const accountButton = (open?: () => void) => (
    <button type="button" className={styles.account} aria-label={t('account.menu', { name })} onClick={open}>
      <span className={styles.initial} data-initial={[...name][0]} />
      <span>{name}</span>
    </button>
  );
  return (
    <div className={styles.side}>
      <header className={styles.brand}>
        <img src="/favicon.svg" alt="" />
        {t('app.name')}
      </header>
      <button
        type="button"
        className={classNames(nav.link, styles.search)}
        onClick={onSearch}
        aria-keyshortcuts="Control+K /"
      >
        <IconSearch size={18} aria-hidden />
        {t('nav.search')}
        <kbd aria-hidden>{t('nav.searchKey')}</kbd>
      </button>
      <div className={styles.lists}>
        <nav aria-label={t('nav.label')}>
          <ul className={styles.places}>
            {NAV_ITEMS.filter((place) => place.name !== 'playlists' && isShown(place)).map(
              ({ to, name, icon: Symbol }) => (
                <li key={to}>
                  <Link to={to} className={nav.link} activeOptions={{ exact: to === '/', includeSearch: false }}>
                    <Symbol size={20} stroke={1.75} aria-hidden />
                    {t(`nav.${name}`)}
                    {countOf(name) > 0 && (
                      <span
                        className={styles.count}
                        aria-label={t('nav.count', { count: countOf(name), number: formatNumber(countOf(name)) })}
                      >
                        {formatNumber(countOf(name))}
                      </span>
                    )}
                    {name === 'activity' && openJobs > 0 && (
                      <span className={styles.badge} aria-label={t('activity.running', { count: openJobs })}>
                        {openJobs}
                      </span>
                    )}
                  </Link>
                </li>
              ),
            )}
          </ul>
        </nav>
        <SidePlaylists />
      </div>
      <div className={styles.bottom}>
        {children}
        <OnDemand button={(open) => accountButton(open)}>
          <AccountMenu onShortcuts={onShortcuts} target={accountButton()} />
        </OnDemand>
      </div>
    </div>
  );
}
