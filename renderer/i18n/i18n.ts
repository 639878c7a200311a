// Every text a person reads is in a file per language in resources/languages/.
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import english from '../../resources/languages/en.json?window';
import { applyLanguage } from './language.ts';

/** `more`: English texts that only this window begins with. */
export async function startI18n(more: object = {}): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: { translation: { ...english, ...more } } },
    lng: 'en',
    fallbackLng: 'en',
    interpolation: { escapeValue: false },
  });
  await applyLanguage();
}
