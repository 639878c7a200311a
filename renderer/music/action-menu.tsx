// The context menu of items, the same everywhere; loaded on first use.
import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../ui/class-names.ts';
import { IconArtist, IconManage, IconRated, IconUnlike, IconUnpin } from '../ui/theme/icons.ts';
import type { Action } from './actions.ts';
import { PlaylistItems } from './add-to-playlist.tsx';
import { ItemHeading } from './item-heading.tsx';
import { closeItemMenu, type OpenMenu } from './item-marks.ts';
import type { Items } from './items.ts';
import { isPinned, pinOf } from './pins.ts';
import { MenuPages, SubMenu } from './sub-menu.tsx';
import { useActions } from './use-actions.ts';
import styles from './menu.module.css';

const STARS = [5, 4, 3, 2, 1, 0];
const size = { size: 16, 'aria-hidden': true } as const;

/** Opens at a point, and returns the focus to the previously focused element when it closes. */
export function ActionMenu({ menu: { items, x, y, height } }: { menu: OpenMenu }) {
  const { t } = useTranslation();
  const name = items.name === '' ? t('select.label') : t('action.more', { name: items.name });
  const focusedElement = useRef(document.activeElement);
  const { sections, run } = useActions();
  const choose = useRef((_event: KeyboardEvent) => {});
  choose.current = (event) => {
    const chosenSections = sections(items)
      .flat()
      .find((action) => (action.letter ?? action.key) === event.key);
    if (!chosenSections || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    closeItemMenu();
    void run(chosenSections.name, items);
  };
  // keys work at once, also before the menu has the focus
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => choose.current(event);
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  useEffect(
    () => () => {
      if (focusedElement.current instanceof HTMLElement && focusedElement.current.isConnected)
        focusedElement.current.focus();
    },
    [],
  );
  return (
    <Menu opened onChange={(isOpen) => !isOpen && closeItemMenu()} position="bottom-start" offset={4} trapFocus>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={name}
          className={styles.point}
          style={{ left: x, top: y, height }}
        />
      </Menu.Target>
      <Menu.Dropdown className={styles.menu} aria-label={name}>
        <ItemHeading items={items} />
        <MenuPages>
          <ActionItems items={items} />
        </MenuPages>
      </Menu.Dropdown>
    </Menu>
  );
}

function ActionItems({ items }: { items: Items }) {
  const { t } = useTranslation();
  const { sections } = useActions();
  const allSections = sections(items);
  const managed = allSections.map((section) => section.filter(({ isManaged }) => isManaged));
  // a submenu with one entry would only be in its way
  if (managed.flat().length < 2) return <Sections sections={allSections} items={items} />;
  return (
    <>
      <Sections sections={allSections.map((section) => section.filter(({ isManaged }) => !isManaged))} items={items} />
      <Menu.Divider />
      <SubMenu label={t('action.manage')} icon={IconManage}>
        <Sections sections={managed} items={items} />
      </SubMenu>
    </>
  );
}

const Sections = ({ sections, items }: { sections: readonly (readonly Action[])[]; items: Items }) =>
  sections
    .filter((section) => section.length > 0)
    .map((section, i) => (
      <div key={section[0]?.name} role="none">
        {i > 0 && <Menu.Divider />}
        {section.map((action) => (
          <ActionItem key={action.name} action={action} items={items} />
        ))}
      </div>
    ));

function ActionItem({ action: { name, icon, isMenu, key, letter = key }, items }: { action: Action; items: Items }) {
  const { t } = useTranslation();
  const { run, labelOf } = useActions();
  const pin = name === 'pin' ? pinOf(items) : undefined;
  const isUnpin = pin !== undefined && isPinned(pin);
  const label = isUnpin ? t('sideBar.unpin') : labelOf(name, items);
  const Symbol = isUnpin ? IconUnpin : name === 'like' && label === t('action.unlike') ? IconUnlike : icon;
  if (isMenu)
    return (
      <SubMenu label={label} icon={icon}>
        {name === 'addTo' ? (
          <PlaylistItems
            group={{ count: items.count, load: items.load }}
            exceptId={items.place?.playlistId ?? (items.kind === 'playlist' ? items.only?.id : undefined)}
          />
        ) : (
          <RateItems items={items} />
        )}
      </SubMenu>
    );
  return (
    <>
      <Menu.Item
        leftSection={<Symbol {...size} />}
        {...(letter && {
          rightSection: (
            <kbd className={styles.key}>{letter.length === 1 ? letter.toUpperCase() : t('keys.delete')}</kbd>
          ),
        })}
        className={classNames(name === 'delete' && styles.danger)}
        onClick={() => void run(name, items)}
      >
        {label}
      </Menu.Item>
      {name === 'goTo' && <ArtistLinks items={items} />}
    </>
  );
}

/** Links to every artist of a track. */
function ArtistLinks({ items }: { items: Items }) {
  const { t } = useTranslation();
  const artists = items.kind === 'track' ? (items.only?.artists ?? []) : [];
  return artists.map((artist) => (
    <Menu.Item
      key={artist.id}
      leftSection={<IconArtist {...size} />}
      renderRoot={(props) => <Link to="/artists/$artistId" params={{ artistId: artist.id }} {...props} />}
    >
      {t('track.goToArtist', { name: artist.name })}
    </Menu.Item>
  ));
}

function RateItems({ items }: { items: Items }) {
  const { t } = useTranslation();
  const { rate } = useActions();
  return STARS.map((stars) => (
    <Menu.Item
      key={stars}
      aria-label={t('like.stars', { count: stars, number: stars })}
      onClick={() => void rate(items, stars)}
    >
      {stars === 0
        ? t('like.stars', { count: 0, number: 0 })
        : Array.from({ length: stars }, (_, i) => <IconRated key={i} size={14} aria-hidden />)}
    </Menu.Item>
  ));
}
