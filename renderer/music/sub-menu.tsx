import { Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  createContext,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useTranslation } from 'react-i18next';
import { IconBack, IconForward } from '../ui/theme/icons.ts';
import type { IconShape } from '../ui/controls/button.tsx';

const size = { size: 16, 'aria-hidden': true } as const;
/** Devices without hover, and those without space beside the menu. */
const PAGED_QUERY = '(hover: none), (max-width: 767px)';
/** The second tap of a double tap meets what the first one has put there, such as Delete. */
const SECOND_TAP = { withinMs: 400, withinPx: 24 };
const ITEMS = '[data-menu-item]:not([data-disabled])';

interface MenuPage {
  label: string;
  children: ReactNode;
}
interface SubMenuProps extends MenuPage {
  icon: IconShape;
}

const OpenPage = createContext<(page: MenuPage) => void>(() => {});

/**
 * The contents of a menu whose submenus are pages: a submenu takes the place of the contents, and has a way back. Wrap
 * the entries of a menu in it, unless the menu has no submenus.
 */
export function MenuPages({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [page, setPage] = useState<MenuPage | null>(null);
  const ref = useRef<HTMLDivElement>(null);
  const lastLabel = useRef<string>(undefined);
  const lastTap = useRef({ timeStamp: -Infinity, clientX: 0, clientY: 0 });
  useLayoutEffect(() => {
    if (lastLabel.current === undefined) return;
    const items = [...(ref.current?.querySelectorAll<HTMLElement>(ITEMS) ?? [])];
    const opener = items.find((item) => item.dataset['page'] === lastLabel.current);
    // the second item of a page is the first one after the way back
    (page ? (items[1] ?? items[0]) : opener)?.focus();
  }, [page]);
  const open = (next: MenuPage) => {
    lastLabel.current = next.label;
    setPage(next);
  };
  const ignoreSecondTap = (event: MouseEvent) => {
    const { timeStamp, clientX, clientY } = event;
    const { current: last } = lastTap;
    lastTap.current = { timeStamp, clientX, clientY };
    const isByPointer = event.detail > 0;
    const distancePx = Math.hypot(clientX - last.clientX, clientY - last.clientY);
    if (isByPointer && timeStamp - last.timeStamp < SECOND_TAP.withinMs && distancePx < SECOND_TAP.withinPx)
      event.stopPropagation();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (page && key === 'ArrowLeft') setPage(null);
  };
  return (
    <OpenPage value={open}>
      <div ref={ref} role="none" onKeyDown={onKeyDown} onClickCapture={ignoreSecondTap}>
        {page ? (
          <>
            <Menu.Item closeMenuOnClick={false} leftSection={<IconBack {...size} />} onClick={() => setPage(null)}>
              {t('action.back')}
            </Menu.Item>
            <Menu.Divider />
            <div role="group" aria-label={page.label}>
              <Menu.Label aria-hidden>{page.label}</Menu.Label>
              {page.children}
            </div>
          </>
        ) : (
          children
        )}
      </div>
    </OpenPage>
  );
}

/** A submenu: beside its menu and opened by pointing at it, a click or a key; a page of it where there is no space. */
export function SubMenu(props: SubMenuProps) {
  const isPage = useMediaQuery(PAGED_QUERY, matchMedia(PAGED_QUERY).matches, { getInitialValueInEffect: false });
  return isPage ? <AsPage {...props} /> : <Beside {...props} />;
}

function Beside({ label, icon: Symbol, children }: SubMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const dropdown = useRef<HTMLDivElement>(null);
  /** True if a key opened the submenu, which then gets the focus. */
  const takesFocus = useRef(false);
  useLayoutEffect(() => {
    if (!isOpen || !takesFocus.current) return;
    takesFocus.current = false;
    dropdown.current?.querySelector<HTMLElement>(ITEMS)?.focus();
  }, [isOpen]);
  // its place is fixed, because the menu that contains it cuts off what is beside it
  return (
    <Menu.Sub opened={isOpen} onChange={setOpen} floatingStrategy="fixed">
      <Menu.Sub.Target>
        <Menu.Sub.Item
          ref={opener}
          leftSection={<Symbol {...size} />}
          onClick={({ detail }) => {
            takesFocus.current = detail === 0;
            setOpen(true);
          }}
        >
          {label}
        </Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown
        ref={dropdown}
        onKeyDown={({ key }) => {
          if (key === 'ArrowLeft') opener.current?.focus();
        }}
      >
        {children}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

function AsPage({ label, icon: Symbol, children }: SubMenuProps) {
  const open = useContext(OpenPage);
  return (
    <Menu.Item
      closeMenuOnClick={false}
      aria-haspopup="menu"
      data-page={label}
      leftSection={<Symbol {...size} />}
      rightSection={<IconForward {...size} />}
      onClick={() => open({ label, children })}
      onKeyDown={({ key }) => {
        if (key === 'ArrowRight') open({ label, children });
      }}
    >
      {label}
    </Menu.Item>
  );
}
