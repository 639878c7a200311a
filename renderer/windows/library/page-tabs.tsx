// The tabs above the pages of a family.
import { Link, useChildMatches, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isPinned, togglePin, usePins, type Pin } from '../../music/pins.ts';
import { isOfFamily, usePlaces, type Family } from '../../music/places.ts';
import { ButtonLink, IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconNeverSplit, IconPin, IconUnpin } from '../../ui/theme/icons.ts';
import { usePageTitle } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useCareCounts } from './use-care-counts.ts';
import '../../i18n/page-texts.ts';
import styles from './page-tabs.module.css';

/** Names of the families whose first page has another name. */
const FIRST_NAMES = { explore: 'place.overview', care: 'place.overview' } as const;

function PageTabs({ family, counts = {} }: { family: Family; counts?: Record<string, number> }) {
  const { t } = useTranslation();
  const places = usePlaces().filter((place) => isOfFamily(place, family));
  const path = useLocation({ select: ({ pathname }) => pathname });
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const open = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    // a phone displays only a few tabs at a time
    if (open) tabs.current!.scrollLeft = open.offsetLeft + (open.offsetWidth - tabs.current!.clientWidth) / 2;
  }, [path]);
  const current = places.find(({ to }) => to === path);
  return (
    <nav ref={tabs} className={styles.tabs} aria-label={t('sideBar.related')}>
      {places.map(({ to, text }, i) => (
        <Link key={to} to={to} className={styles.tab} activeOptions={{ exact: true, includeSearch: false }}>
          {t(i === 0 && family in FIRST_NAMES ? FIRST_NAMES[family as keyof typeof FIRST_NAMES] : text)}
          {(counts[to] ?? 0) > 0 && <span className={styles.count}>{formatNumber(counts[to] ?? 0)}</span>}
        </Link>
      ))}
      {current && <PinPage pin={{ kind: 'page', id: current.to, name: t(current.text) }} />}
    </nav>
  );
}

function PinPage({ pin }: { pin: Pin }) {
  const { t } = useTranslation();
  usePins();
  return (
    <IconButton
      size="small"
      iconSize={18}
      className={styles.pin}
      label={t(isPinned(pin) ? 'sideBar.unpinPage' : 'sideBar.pinPage')}
      icon={isPinned(pin) ? IconUnpin : IconPin}
      onClick={() => togglePin(pin)}
    />
  );
}

interface FamilyProps {
  /** The open page. */
  children: ReactNode;
}

export const LibraryPages = ({ children }: FamilyProps) => (
  <>
    <PageTabs family="library" />
    {children}
  </>
);
export const ExplorePages = ({ children }: FamilyProps) => (
  <>
    <PageTabs family="explore" />
    {children}
  </>
);
export const ListeningPages = ({ children }: FamilyProps) => (
  <>
    <PageTabs family="listening" />
    {children}
  </>
);

/** The pages of Library care, for those who may change something there. */
export function CarePages({ children }: FamilyProps) {
  const { t } = useTranslation();
  // not the address, which changes sooner than the page
  const path = useChildMatches({ select: ([page]) => page?.pathname });
  const isOffered = usePlaces().some(({ to }) => to === path);
  return isOffered ? (
    <>
      <CareTabs />
      {children}
    </>
  ) : (
    <Refused title={t('sideBar.refused')}>{t('sideBar.refusedHelp')}</Refused>
  );
}

const CareTabs = () => <PageTabs family="care" counts={useCareCounts().counts} />;

function Refused({ title, children }: { title: string; children: string }) {
  const { t } = useTranslation();
  usePageTitle(title);
  return (
    <EmptyState
      icon={IconNeverSplit}
      title={title}
      isPage
      actions={<ButtonLink to="/">{t('notFound.home')}</ButtonLink>}
    >
      {children}
    </EmptyState>
  );
}
