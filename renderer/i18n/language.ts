// Which language is shown: the one that was chosen, else the first of the browser's that there is. Kept in
// the browser, so all windows agree.
import i18next from 'i18next';
import { desktop } from '../desktop.ts';
import { asWord, storedChoice } from '../stored-choice.ts';

/** English comes with the window; the others are fetched when they are wanted. */
const LANGUAGE_FILES = import.meta.glob<{ default: object }>([
  '../../resources/languages/*.json',
  '!../../resources/languages/en.json',
]);
const LOADERS = Object.fromEntries(
  Object.entries(LANGUAGE_FILES).map(([file, load]) => [file.slice(file.lastIndexOf('/') + 1, -'.json'.length), load]),
);

/** The tags of all that there are. */
export const LANGUAGES: readonly string[] = ['en', ...Object.keys(LOADERS)].sort();

/** Each in its own words: Deutsch, English, Français. */
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

/** A browser under the POSIX locale says `en-US@posix`, at which every Intl formatter throws. */
const isTag = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

const languageOf = (tag: string): string | undefined => [tag, tag.split('-')[0]].find(isLanguage);

/**
 * The language of the texts, and the locale in which dates, times and numbers are written: the browser's own for that
 * language (en-GB writes 24 December, en-US December 24), else the language itself.
 */
export function resolveLanguage(
  choice = languageChoice.get(),
  browserLanguages: readonly string[] = navigator.languages,
): { language: string; locale: string } {
  const languageTags = browserLanguages.map((tag) => tag.split('@', 1)[0] ?? '').filter(isTag);
  const language = choice === 'system' ? (languageTags.map(languageOf).find(isLanguage) ?? 'en') : choice;
  return { language, locale: languageTags.find((tag) => languageOf(tag) === language) ?? language };
}

/** Shows the language that is chosen now. One that cannot be fetched leaves the texts as they are. */
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
