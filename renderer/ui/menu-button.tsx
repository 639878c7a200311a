// A button with a menu that costs a list no more than a button: the menu is created on first use.
import { Menu, type MenuProps } from '@mantine/core';
import {
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type ReactNode,
  type Ref,
  type RefObject,
} from 'react';
import { IconButton, type IconShape } from './button.tsx';

interface MenuButtonProps {
  label: string;
  icon: IconShape;
  iconSize?: number;
  tabIndex?: 0 | -1;
  className?: string | undefined;
  position?: MenuProps['position'];
  /** Rendered only while the menu exists. */
  children: () => ReactNode;
}

export function MenuButton({ position = 'bottom-end', children, ...button }: MenuButtonProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [isMade, setMade] = useState(false);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (isMade) setOpened(true);
  }, [isMade]); // one render later, so that the menu knows where the focus was
  return (
    <>
      <IconButton
        ref={ref}
        id={id}
        {...button}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={() => (isMade ? setOpened(!opened) : setMade(true))}
      />
      {isMade && (
        <Menu id={id} position={position} opened={opened} onChange={setOpened}>
          <Menu.Target>
            <At button={ref} />
          </Menu.Target>
          <Menu.Dropdown>{children()}</Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

/** Gives the menu its target: a button that existed before it. */
function At({ button, ref }: { button: RefObject<HTMLButtonElement | null>; ref?: Ref<HTMLButtonElement> }) {
  useImperativeHandle(ref, () => button.current!, [button]);
  return null;
}
