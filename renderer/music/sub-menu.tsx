import { Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { IconDown, IconUp } from '../ui/theme/icons.ts';
import type { IconShape } from '../ui/controls/button.tsx';
import styles from './menu.module.css';

const size = { size: 16, 'aria-hidden': true } as const;
const HOVER_QUERY = '(hover: none), (max-width: 767px)';

interface SubMenuProps {
  label: string;
  icon: IconShape;
  children: ReactNode;
}

/**
 * A submenu: beside its menu and opened by hovering, or among the menu's entries on devices without hover or space.
 */
export function SubMenu(props: SubMenuProps) {
  const isInPlace = useMediaQuery(HOVER_QUERY, matchMedia(HOVER_QUERY).matches, { getInitialValueInEffect: false });
  return isInPlace ? <InPlace {...props} /> : <Beside {...props} />;
}

function Beside({ label, icon: Symbol, children }: SubMenuProps) {
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<Symbol {...size} />}>{label}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown className={styles.long}>{children}</Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

function InPlace({ label, icon: Symbol, children }: SubMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  const Arrow = isOpen ? IconUp : IconDown;
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') setOpen(key === 'ArrowRight');
  };
  return (
    <div ref={ref} role="none">
      <Menu.Item
        closeMenuOnClick={false}
        aria-expanded={isOpen}
        leftSection={<Symbol {...size} />}
        rightSection={<Arrow {...size} />}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onKeyDown}
      >
        {label}
      </Menu.Item>
      {isOpen && (
        <div role="group" aria-label={label} className={styles.nested}>
          {children}
        </div>
      )}
    </div>
  );
}
