// Our design for Mantine's components; colours and type come from tokens.css through mantine.css. Components are
// configured by name and not imported, so that a window loads only the components that it uses.
import { createTheme, type MantineThemeOverride } from '@mantine/core';

const quick = { duration: 120, transition: 'fade' } as const;
const popup = { transitionProps: quick, shadow: 'none', radius: 10, zIndex: 400 } as const;

/**
 * The heading of a dialog is not a landmark of the page. Components that set their own `attributes` must include
 * these.
 */
export const dialogAttributes = { header: { role: 'presentation' } } as const;

const defaults: Record<string, object> = {
  Modal: {
    attributes: dialogAttributes,
    transitionProps: quick,
    centered: true,
    radius: 16,
    lockScroll: false,
    shadow: 'none',
    overlayProps: { backgroundOpacity: 0.4 },
  },
  Drawer: {
    attributes: dialogAttributes,
    transitionProps: { duration: 160, transition: 'slide-left' },
    lockScroll: false,
    shadow: 'none',
    padding: 'lg',
    overlayProps: { backgroundOpacity: 0.2 },
  },
  Popover: popup,
  // a menu without enough space on either side of its point covers the point
  Menu: { ...popup, withInitialFocusPlaceholder: false, middlewares: { shift: { crossAxis: true, padding: 8 } } },
  Select: { comboboxProps: popup },
  TextInput: { size: 'md' },
  PasswordInput: { size: 'md' },
  Switch: { size: 'md' },
  Notification: { radius: 10 },
};

export const theme: MantineThemeOverride = createTheme({
  respectReducedMotion: true,
  cursorType: 'pointer',
  focusRing: 'auto',
  components: Object.fromEntries(Object.entries(defaults).map(([name, defaultProps]) => [name, { defaultProps }])),
});
