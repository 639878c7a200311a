// The texts of menus, tray and notifications: `shell` in the language files.
import { createInstance, type ParseKeys, type TOptions } from 'i18next';

const SHELL_TEXTS = import.meta.glob<object>('../resources/languages/*.json', { eager: true, import: 'shell' });
const TEXTS = Object.fromEntries(
  Object.entries(SHELL_TEXTS).map(([file, shell]) => [file.slice(file.lastIndexOf('/') + 1, -'.json'.length), shell]),
);

type TextKey = ParseKeys<'translation', TOptions, 'shell'>;
export type Say = (key: TextKey, values?: Record<string, string | number>) => string;

const texts = createInstance({
  resources: Object.fromEntries(
    Object.entries(TEXTS).map(([language, shell]) => [language, { translation: { shell } }]),
  ),
  fallbackLng: 'en',
  initAsync: false,
  interpolation: { escapeValue: false },
});
void texts.init();

/** Returns a function with the texts of the first available language; its region determines the format of numbers. */
export function sayIn(wantedLanguages: readonly string[]): Say {
  const locale = wantedLanguages.find((tag) => Object.hasOwn(TEXTS, tag.split('-')[0] ?? '')) ?? 'en';
  const inLocale = texts.getFixedT(locale, 'translation', 'shell');
  return (key, values = {}) => inLocale(key, values);
}
