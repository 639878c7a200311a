import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ActionName } from './actions.ts';
import { PlaylistItems } from './add-to-playlist.tsx';
import { MoreButton } from './more-button.tsx';
import type { Items } from './items.ts';
import { useActions } from './use-actions.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { formatNumber } from '../ui/format.ts';
import { IconAddTo, IconClose } from '../ui/theme/icons.ts';
import menu from './menu.module.css';
import styles from '../ui/lists/selection-bar.module.css';

/** Actions with their own buttons; the other actions are in the “…” menu. */
const SHOWN_ACTIONS: readonly ActionName[] = [
  'play',
  'playNext',
  'playLater',
  'toTop',
  'toEnd',
  'remove',
  'like',
  'edit',
  'share',
  'delete',
];

interface SelectionBarProps {
  count: number;
  items: () => Items;
  onClear: () => void;
}

/** The number of selected rows, and the actions on them. A single row has its own menu and keys. */
export function SelectionBar({ count, items, onClear }: SelectionBarProps) {
  const { t } = useTranslation();
  const { sections, run, labelOf } = useActions();
  const isInList = items().place?.remove !== undefined;
  const shownActions = sections(items())
    .flat()
    // beside the button that removes rows from their list, deleting them would be confused with it
    .filter(({ name }) => SHOWN_ACTIONS.includes(name) && !(name === 'delete' && isInList));
  const text = t('select.chosen', { count, number: formatNumber(count) });
  return (
    <div className={styles.bar} data-bottom role="toolbar" aria-label={t('select.label')}>
      <p role="status">{text}</p>
      {shownActions.map(({ name, icon }) => (
        <IconButton
          key={name}
          label={labelOf(name, items())}
          icon={icon}
          iconSize={18}
          onClick={() => void run(name, items()).then(() => name === 'delete' && onClear())}
        />
      ))}
      <Menu position="top">
        <Menu.Target>
          <IconButton label={t('action.addTo')} icon={IconAddTo} iconSize={18} />
        </Menu.Target>
        <Menu.Dropdown className={menu.menu}>
          <PlaylistItems group={{ count, load: () => items().load() }} exceptId={items().place?.playlistId} />
        </Menu.Dropdown>
      </Menu>
      <MoreButton items={items} name={text} />
      <IconButton label={t('select.clear')} icon={IconClose} iconSize={18} onClick={onClear} />
    </div>
  );
}
