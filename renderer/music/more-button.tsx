import { useTranslation } from 'react-i18next';
import type { MouseEvent } from 'react';
import { IconButton, type IconShape } from '../ui/controls/button.tsx';
import { DotsIcon } from '../ui/theme/css-icons.tsx';
import { openItemMenu } from './item-marks.ts';
import type { Items } from './items.ts';

interface MoreButtonProps {
  /** A function where making them costs something. */
  items: Items | (() => Items);
  name: string;
  className?: string | undefined;
  tabIndex?: 0 | -1;
  icon?: IconShape;
}

/** "…": opens the menu of the items. */
export function MoreButton({ items, name, className, tabIndex = 0, icon = DotsIcon }: MoreButtonProps) {
  const { t } = useTranslation();
  return (
    <IconButton
      label={t('action.more', { name })}
      icon={icon}
      iconSize={18}
      className={className}
      tabIndex={tabIndex}
      aria-haspopup="menu"
      aria-expanded={false} // the menu changes it: a list has hundreds of these
      onClick={(event: MouseEvent) => openItemMenu(typeof items === 'function' ? items() : items, event.currentTarget)}
    />
  );
}
