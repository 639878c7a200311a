import { useTranslation } from 'react-i18next';
import type { MouseEvent } from 'react';
import { IconButton, type IconShape } from '../ui/controls/button.tsx';
import { DotsIcon } from '../ui/theme/css-icons.tsx';
import { openItemMenu } from './item-marks.ts';
import type { Items } from './items.ts';

interface MoreButtonProps {
  /** The items, or a function that creates them on click. */
  items: Items | (() => Items);
  name: string;
  className?: string | undefined;
  tabIndex?: 0 | -1;
  icon?: IconShape;
}

/** The “…” button, which opens the menu of the items. */
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
      aria-expanded={false} // the menu changes this attribute directly, because a list has hundreds of these buttons
      onClick={(event: MouseEvent) => openItemMenu(typeof items === 'function' ? items() : items, event.currentTarget)}
    />
  );
}
