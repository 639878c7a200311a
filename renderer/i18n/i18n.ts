// Every text a person reads is in a file per language in resources/languages/.
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import en from '../../resources/languages/en.json';
import { applyLanguage } from './language.ts';

export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: { en: { translation: en } },
    lng: 'en',
    fallbackLng: 'en',
    interpolation: { escapeValue: false },
  });
  await applyLanguage();
}
