import { lazy, Suspense, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAdd, IconSearch } from '../../ui/theme/icons.ts';
import { useSession } from '../../api/session.ts';
import { addMusic } from '../../music/add-music.ts';
import { SidePlaylists } from '../../features/playlists/side-playlists.tsx';
import { classNames } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { OnDemand } from '../../ui/on-demand.tsx';
import nav from '../../ui/controls/nav-link.module.css';
import { NAV_ITEMS } from './nav-items.ts';
import { SideLink } from './side-link.tsx';
import styles from './side-bar.module.css';

const SideExtras = lazy(async () => ({ default: (await import('./side-extras.tsx')).SideExtras }));
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

/** The side bar; `children` are displayed above the account. */
export function SideBar({
  onSearch,
  onShortcuts,
  onCustomize,
  children,
}: {
  onSearch: () => void;
  onShortcuts: () => void;
  onCustomize: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const user = useSession()?.user;
  const name = user?.username ?? '';
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
        {user?.can_upload && (
          <IconButton label={t('nav.addMusic')} icon={IconAdd} className={styles.add} onClick={() => addMusic()} />
        )}
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
            {NAV_ITEMS.filter(({ name }) => name !== 'playlists').map((item) => (
              <li key={item.to}>
                <SideLink {...item} label={t(`nav.${item.name}`)} />
              </li>
            ))}
            <Suspense>
              <SideExtras />
            </Suspense>
          </ul>
        </nav>
        <SidePlaylists />
      </div>
      <div className={styles.bottom}>
        {children}
        <OnDemand button={(open) => accountButton(open)}>
          <AccountMenu onShortcuts={onShortcuts} onCustomize={onCustomize} target={accountButton()} />
        </OnDemand>
      </div>
    </div>
  );
}
