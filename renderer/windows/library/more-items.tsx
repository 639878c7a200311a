import { Menu } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/session.ts';
import { addMusic } from '../../music/add-music.ts';
import { usePlaces, type Place } from '../../music/places.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconAdd, type Icon } from '../../ui/theme/icons.ts';
import { AccountMenu } from './account-menu.tsx';
import { useExtraItems, useMayEdit } from './side-extras.tsx';
import { useCareCounts } from './use-care-counts.ts';
import styles from './side-bar.module.css';

interface MoreItemsProps {
  onShortcuts: () => void;
  onCustomize: () => void;
  target: ReactElement;
}

/** The menu of items that are not in the bottom bar of a phone, in the order of the side bar. */
export function MoreItems(props: MoreItemsProps) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const places = usePlaces().filter((place) => 'bar' in place && place.bar === 'side');
  const extraItems = useExtraItems();
  const mayUpload = useSession()?.user.can_upload ?? false;
  return (
    <AccountMenu {...props}>
      {places.map((place) =>
        place.to !== '/care' ? (
          <MoreItem key={place.to} to={place.to} icon={place.icon} label={t(place.text)} />
        ) : (
          mayEdit && <CareItem key={place.to} place={place} />
        ),
      )}
      {extraItems.map(({ key, to, search, icon, label }) => (
        <MoreItem key={key} to={to} icon={icon} label={label} {...(search && { search })} />
      ))}
      <Menu.Divider />
      {mayUpload && (
        <>
          <Menu.Item leftSection={<IconAdd size={16} aria-hidden />} onClick={() => addMusic()}>
            {t('nav.addMusic')}
          </Menu.Item>
          <Menu.Divider />
        </>
      )}
    </AccountMenu>
  );
}

function CareItem({ place: { to, icon, text } }: { place: Place }) {
  const { t } = useTranslation();
  return <MoreItem to={to} icon={icon} label={t(text)} count={useCareCounts().total} />;
}

interface MoreItemProps {
  to: string;
  search?: Record<string, string>;
  icon: Icon;
  label: string;
  count?: number;
}

function MoreItem({ to, search, icon: Symbol, label, count = 0 }: MoreItemProps) {
  return (
    <Menu.Item
      leftSection={<Symbol size={16} aria-hidden />}
      rightSection={count > 0 && <span className={styles.count}>{formatNumber(count)}</span>}
      renderRoot={(props) => <Link to={to as NonNullable<LinkProps['to']>} search={search as never} {...props} />}
    >
      {label}
    </Menu.Item>
  );
}
