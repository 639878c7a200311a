// Labels and help of settings in the user's language. A setting without a translation displays its key and the server's
// help.
import i18next from 'i18next';
import texts from '../../resources/languages/en.json?settings';
import type { SettingOut } from '../../server/settings/wire.ts';

/** Translates keys that are composed at run time, which have no literal type. */
const translate = i18next.t as (key: string) => string;
const findText = (key: string): string | undefined => (i18next.exists(key) ? translate(key) : undefined);

export const labelOf = ({ key }: Pick<SettingOut, 'key'>): string =>
  findText(`setting.${key}.label`) ?? key.replaceAll('_', ' ');
export const helpOf = ({ key, help }: Pick<SettingOut, 'key' | 'help'>): string =>
  findText(`setting.${key}.help`) ?? help;
export const choiceLabel = ({ key }: Pick<SettingOut, 'key'>, choice: string): string =>
  findText(`setting.${key}.choice.${choice || 'none'}`) ?? choice;

/** Returns an example that an empty field displays. */
export const exampleOf = ({ key }: Pick<SettingOut, 'key'>): string => findText(`setting.${key}.example`) ?? '';

/** Returns what 0 means, in words. */
export const zeroTextOf = ({ key }: Pick<SettingOut, 'key'>): string => findText(`setting.${key}.zero`) ?? '';

/** Adds the English texts to a window that started without them. Other languages are loaded as a whole. */
export function addSettingTexts(): void {
  if (!i18next.getResource('en', 'translation', 'settings'))
    i18next.addResourceBundle('en', 'translation', texts, true);
}
