import { lazy, Suspense, useEffect, useRef, useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { IconBack } from '../../ui/theme/icons.ts';
import { useSession } from '../../api/session.ts';
import { desktop } from '../../desktop.ts';
import { AccountSection } from '../../features/settings/own-account/account-section.tsx';
import { GeneralSection } from '../../features/settings/general-section.tsx';
import { LibrarySection } from '../../features/settings/library/library-section.tsx';
import { RestartNote } from '../../features/settings/restart.tsx';
import { classNames } from '../../ui/class-names.ts';
import nav from '../../ui/controls/nav-link.module.css';
import { usePageTitle } from '../../ui/page.tsx';
import type { SectionName } from '../../music/setting-sections.ts';
import { SECTION_ICONS, useSection } from './sections.ts';
import styles from './settings-window.module.css';

const SettingsSearch = lazy(async () => ({ default: (await import('./settings-search.tsx')).SettingsSearch }));
/** Loaded separately, because the licences of all dependencies are longer than the code. */
const AboutSection = lazy(async () => ({
  default: (await import('../../features/settings/about-section.tsx')).AboutSection,
}));
const NetworkSection = lazy(async () => ({
  default: (await import('../../features/settings/network/network-section.tsx')).NetworkSection,
}));
const RemoteSection = lazy(async () => ({
  default: (await import('../../features/settings/network/remote-section.tsx')).RemoteSection,
}));
const MetadataSection = lazy(async () => ({
  default: (await import('../../features/settings/library/metadata-section.tsx')).MetadataSection,
}));
const AccountsSection = lazy(async () => ({
  default: (await import('../../features/settings/accounts/accounts-section.tsx')).AccountsSection,
}));
const PlaybackSection = lazy(async () => ({
  default: (await import('../../features/settings/playback/playback-section.tsx')).PlaybackSection,
}));
const StorageSection = lazy(async () => ({
  default: (await import('../../features/settings/backup/storage-section.tsx')).StorageSection,
}));

const SECTION_CONTENT: Record<SectionName, ComponentType> = {
  general: GeneralSection,
  library: LibrarySection,
  storage: StorageSection,
  metadata: MetadataSection,
  network: NetworkSection,
  playback: PlaybackSection,
  remote: RemoteSection,
  account: AccountSection,
  accounts: AccountsSection,
  about: AboutSection,
};

export function SettingsWindow() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const { sections, current } = useSection(isOwner);
  const [query, setQuery] = useState('');
  const main = useRef<HTMLElement>(null);
  const places = useRef<HTMLUListElement>(null);
  usePageTitle(`${t(`settings.section.${current}`)} · ${t('settings.title')}`);
  useEffect(() => {
    if (main.current) main.current.scrollTop = 0;
    // scrolls to the open section, because a phone displays only a few sections at a time
    places.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  const Content = SECTION_CONTENT[current];
  return (
    <div className={styles.window}>
      <nav className={styles.side} aria-label={t('settings.title')}>
        {!desktop && (
          <a href="/" className={classNames(nav.link, styles.back)}>
            <IconBack size={18} aria-hidden />
            {t('settings.back')}
          </a>
        )}
        <Suspense fallback={<div className={styles.searchSpace} />}>
          <SettingsSearch query={query} onQuery={setQuery} />
        </Suspense>
        <ul ref={places} className={styles.places} hidden={query.trim() !== ''}>
          {sections.map((name) => {
            const Symbol = SECTION_ICONS[name];
            return (
              <li key={name}>
                <a href={`#${name}`} className={nav.link} aria-current={name === current ? 'page' : undefined}>
                  <Symbol size={20} stroke={1.75} aria-hidden />
                  {t(`settings.section.${name}`)}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <main ref={main} className={styles.main}>
        <div className={styles.page}>
          <h1>{t(`settings.section.${current}`)}</h1>
          {isOwner && <RestartNote />}
          <Suspense>
            <Content />
          </Suspense>
        </div>
      </main>
    </div>
  );
}
