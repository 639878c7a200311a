// Our design for Mantine's components; colours and type come from tokens.css through mantine.css.
import {
  createTheme,
  Drawer,
  Modal,
  Menu,
  Notification,
  PasswordInput,
  Popover,
  Select,
  Switch,
  TextInput,
} from '@mantine/core';

const quick = { duration: 120, transition: 'fade' } as const;
const popup = { transitionProps: quick, shadow: 'none', radius: 10, zIndex: 400 } as const;

export const theme = createTheme({
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Modal: Modal.extend({
      defaultProps: {
        transitionProps: quick,
        centered: true,
        radius: 16,
        lockScroll: false,
        shadow: 'none',
        overlayProps: { backgroundOpacity: 0.4 },
      },
    }),
    Drawer: Drawer.extend({
      defaultProps: {
        transitionProps: { duration: 160, transition: 'slide-left' },
        lockScroll: false,
        shadow: 'none',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.2 },
      },
    }),
    Popover: Popover.extend({ defaultProps: popup }),
    Menu: Menu.extend({ defaultProps: { ...popup, withInitialFocusPlaceholder: false } }),
    Select: Select.extend({ defaultProps: { comboboxProps: popup } }),
    TextInput: TextInput.extend({ defaultProps: { size: 'md' } }),
    PasswordInput: PasswordInput.extend({ defaultProps: { size: 'md' } }),
    Switch: Switch.extend({ defaultProps: { size: 'md' } }),
    Notification: Notification.extend({ defaultProps: { radius: 10 } }),
  },
});
