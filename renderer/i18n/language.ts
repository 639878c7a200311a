// The displayed language: the chosen one, or else the first available of the browser's languages. The choice is stored
// in the browser, so all windows use the same language.
import i18next from 'i18next';
import { desktop } from '../desktop.ts';
import { asWord, storedChoice } from '../stored-choice.ts';

/** English is part of the window; other languages are fetched when needed. */
const LANGUAGE_FILES = import.meta.glob<{ default: object }>([
  '../../resources/languages/*.json',
  '!../../resources/languages/en.json',
]);
const LOADERS = Object.fromEntries(
  Object.entries(LANGUAGE_FILES).map(([file, load]) => [file.slice(file.lastIndexOf('/') + 1, -'.json'.length), load]),
);

/** The tags of all available languages. */
export const LANGUAGES: readonly string[] = ['en', ...Object.keys(LOADERS)].sort();

/** Returns the language's own name: Deutsch, English, Français. */
export function nameOfLanguage(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

const isLanguage = (value: string | null | undefined): value is string => LANGUAGES.some((tag) => tag === value);

/** A tag of `LANGUAGES`, or `system`. */
const languageChoice = storedChoice<string>({
  name: 'language',
  key: 'tonearm.language',
  initial: 'system',
  ...asWord(['system', ...LANGUAGES]),
});

/**
 * Returns whether Intl accepts the tag. A browser under the POSIX locale reports `en-US@posix`, for which every Intl
 * formatter throws.
 */
const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

const languageOf = (tag: string): string | undefined => [tag, tag.split('-')[0]].find(isLanguage);

/**
 * Returns the language of the texts, and the locale for dates, times and numbers: the browser's own locale for that
 * language (en-GB writes 24 December, en-US December 24), or else the language itself.
 */
export function resolveLanguage(
  choice = languageChoice.get(),
  browserLanguages: readonly string[] = navigator.languages,
): { language: string; locale: string } {
  const languageTags = browserLanguages.map((tag) => tag.split('@', 1)[0] ?? '').filter(isTag);
  const language = choice === 'system' ? (languageTags.map(languageOf).find(isLanguage) ?? 'en') : choice;
  return { language, locale: languageTags.find((tag) => languageOf(tag) === language) ?? language };
}

/** Switches the page to the chosen language. If its file cannot be fetched, the texts stay as they are. */
export async function applyLanguage(): Promise<void> {
  const { language, locale } = resolveLanguage();
  const load = LOADERS[language];
  if (load && !i18next.hasResourceBundle(language, 'translation')) {
    const texts = await load().catch(() => undefined);
    if (!texts) return;
    i18next.addResourceBundle(language, 'translation', texts.default);
  }
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
  document.documentElement.dir = i18next.dir(locale);
  desktop?.tellLanguage(locale).catch(() => undefined);
}

export const chooseLanguage = (choice: string): void => languageChoice.set(choice);
languageChoice.onChange(() => void applyLanguage());

export const useLanguageChoice = languageChoice.use;
