// Windows beside the library window. Each window is opened by name, so that there is never a second one; opening these
// pages in the library window would stop the music.
export const SETTINGS_WINDOW = { href: '/settings', target: 'tonearm-settings' } as const;

export const openSettings = (section = ''): void =>
  void window.open(
    section === '' ? SETTINGS_WINDOW.href : `${SETTINGS_WINDOW.href}#${section}`,
    SETTINGS_WINDOW.target,
  );

export const openPlayerWindow = (): void => {
  window.open('/player', 'tonearm-player', 'popup,width=380,height=640')?.focus();
};
