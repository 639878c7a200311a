// Other words for settings, pages and commands, which people type when they look for them.
import i18next from 'i18next';
import texts from '../../resources/languages/en.json?finding';

i18next.addResourceBundle('en', 'translation', texts, true);

/** Translates keys that are composed at run time, which have no literal type. */
const translate = i18next.t as (key: string) => string;

/** Returns other names of the thing in the user's language, or none. */
export function synonymsOf(name: string): string[] {
  const key = `synonyms.${name}`;
  return i18next.exists(key) ? translate(key).split(', ') : [];
}
