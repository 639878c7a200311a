// Which language is shown: the one that was chosen, else the first of the browser's that there is. Kept in
// localStorage, so all windows agree.
import i18next from 'i18next';
import { useSyncExternalStore } from 'react';
import { desktop } from '../desktop.ts';

/** Each in its own words. English comes with the window; the others are fetched when they are wanted. */
export const LANGUAGES = {
  en: { name: 'English', load: undefined },
  de: { name: 'Deutsch', load: () => import('./de.json') },
} as const;
export type Language = keyof typeof LANGUAGES;
export type LanguageChoice = Language | 'system';

const KEY = 'tonearm.language';
const listeners = new Set<() => void>();

const isLanguage = (value: unknown): value is Language => typeof value === 'string' && value in LANGUAGES;

export function readLanguageChoice(): LanguageChoice {
  const stored = localStorage.getItem(KEY);
  return isLanguage(stored) ? stored : 'system';
}

export function resolveLanguage(
  choice = readLanguageChoice(),
  wanted: readonly string[] = navigator.languages,
): Language {
  if (choice !== 'system') return choice;
  return wanted.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en';
}

/** Shows the language that is chosen now. One that cannot be fetched leaves the texts as they are. */
export async function applyLanguage(): Promise<void> {
  const language = resolveLanguage();
  const { load } = LANGUAGES[language];
  if (load && !i18next.hasResourceBundle(language, 'translation')) {
    const texts = await load().catch(() => undefined);
    if (!texts) return;
    i18next.addResourceBundle(language, 'translation', texts.default);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  desktop?.tellLanguage(language).catch(() => undefined);
}

export async function chooseLanguage(choice: LanguageChoice): Promise<void> {
  localStorage.setItem(KEY, choice);
  for (const listener of listeners) listener();
  await applyLanguage();
}

addEventListener('storage', (event) => {
  if (event.key !== KEY) return;
  for (const listener of listeners) listener();
  void applyLanguage();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useLanguageChoice = (): LanguageChoice => useSyncExternalStore(subscribe, readLanguageChoice);
