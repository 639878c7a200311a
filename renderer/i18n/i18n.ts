// Every text a person reads is in a file per language in resources/languages/.
import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import english from '../../resources/languages/en.json?window';
import { applyLanguage } from './language.ts';

/** Counts in texts are grouped like all numbers. */
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

/** `more`: English texts that only this window begins with. */
export async function startI18n(more: object = {}): Promise<void> {
  await i18next
    .use(initReactI18next)
    .use(counts)
    .init({
      resources: { en: { translation: { ...english, ...more } } },
      lng: 'en',
      fallbackLng: 'en',
      interpolation: { escapeValue: false, alwaysFormat: true },
    });
  await applyLanguage();
}
