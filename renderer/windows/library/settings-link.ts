/** A window of its own, and always the same one: going there in this window would end the music. */
export const SETTINGS = { href: '/settings', target: 'tonearm-settings' } as const;

export const openSettings = (): void => void window.open(SETTINGS.href, SETTINGS.target);
