// The texts of Wikipedia that are kept, and which of them somebody reads.
import type { About, AboutText } from '../db/schema.ts';

/** The languages of the interface, as in resources/languages. */
export const LANGUAGES = ['en', 'de'] as const;

/** Returns the text in the given language, else the English one, else any text. */
export const textIn = (texts: About['texts'], language: string | undefined): AboutText | null =>
  texts.find((text) => text.language === language) ?? texts.find((text) => text.language === 'en') ?? texts[0] ?? null;
