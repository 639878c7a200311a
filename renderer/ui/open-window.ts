// The windows beside the library. Each is opened by name, so there is never a second one. Going there in the library
// window would stop the music.
export const SETTINGS_WINDOW = { href: '/settings', target: 'tonearm-settings' } as const;

export const openSettings = (): void => void window.open(SETTINGS_WINDOW.href, SETTINGS_WINDOW.target);

export const openPlayerWindow = (): void => {
  window.open('/player', 'tonearm-player', 'popup,width=380,height=640')?.focus();
};
