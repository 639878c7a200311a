// All texts of the interface are in resources/languages/, one file per language.
import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import english from '../../resources/languages/en.json?window';
import { applyLanguage } from './language.ts';

/** Formats counts in texts with the digit grouping of the language. */
const counts: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value: unknown, _format, _language, options) =>
    options?.['interpolationkey'] === 'count' && typeof value === 'number'
      ? value.toLocaleString(i18next.language)
      : (value as string),
};

/** Starts the translation. `more` contains English texts that only this window needs at its start. */
export async function startI18n(moreTexts: object = {}): Promise<void> {
  await i18next
    .use(initReactI18next)
    .use(counts)
    .init({
      resources: { en: { translation: { ...english, ...moreTexts } } },
      lng: 'en',
      fallbackLng: 'en',
      interpolation: { escapeValue: false, alwaysFormat: true },
    });
  await applyLanguage();
}
