import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ActionName } from '../../../music/actions.ts';
import { PlaylistItems } from '../../../music/add-to-playlist.tsx';
import { MoreButton } from '../../../music/more-button.tsx';
import { trackItems, type Items } from '../../../music/items.ts';
import type { TrackGroup } from '../../../music/track-drag.ts';
import { useActions } from '../../../music/use-actions.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { IconAddTo, IconClose } from '../../../ui/theme/icons.ts';
import menu from '../../../music/menu.module.css';
import styles from '../../../ui/lists/selection-bar.module.css';

/** Actions with their own buttons; the other actions are in the “…” menu. */
const SHOWN_ACTIONS: readonly ActionName[] = ['play', 'playNext', 'playLater', 'like', 'edit', 'delete'];

interface SelectionBarProps {
  count: number;
  group: () => TrackGroup;
  onClear: () => void;
}

/** The number of selected rows, and the actions on them. */
export function SelectionBar({ count, group, onClear }: SelectionBarProps) {
  const { t } = useTranslation();
  const { sections, run, labelOf } = useActions();
  const items = (): Items => trackItems(group());
  const shownActions = sections(items())
    .flat()
    .filter(({ name }) => SHOWN_ACTIONS.includes(name));
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
          <PlaylistItems group={{ count, load: () => group().load() }} />
        </Menu.Dropdown>
      </Menu>
      <MoreButton items={items} name={text} />
      <IconButton label={t('select.clear')} icon={IconClose} iconSize={18} onClick={onClear} />
    </div>
  );
}
