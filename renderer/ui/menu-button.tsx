// A button with a menu that costs a list no more than a button: the menu is made when it is opened for the first time.
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
  /** Drawn only while the menu is there. */
  children: () => ReactNode;
}

export function MenuButton({ position = 'bottom-end', children, ...button }: MenuButtonProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const id = useId();
  const [isMade, setMade] = useState(false);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (isMade) setOpened(true);
  }, [isMade]); // a step after it was made, so that it knows where the focus was
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

/** Tells the menu which button it belongs to: one that was there before it. */
function At({ button, ref }: { button: RefObject<HTMLButtonElement | null>; ref?: Ref<HTMLButtonElement> }) {
  useImperativeHandle(ref, () => button.current!, [button]);
  return null;
}
