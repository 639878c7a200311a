// What a setting is called and what it does, in the reader's language. A setting that is newer than the translations
// still has its own name and the server's own line.
import i18next from 'i18next';
import type { SettingOut } from '../../../server/settings/wire.ts';

/** Keys that are put together while the window runs. */
const translate = i18next.t as (key: string) => string;
const find = (key: string): string | undefined => (i18next.exists(key) ? translate(key) : undefined);

export const labelOf = ({ key }: Pick<SettingOut, 'key'>): string =>
  find(`setting.${key}.label`) ?? key.replaceAll('_', ' ');
export const helpOf = ({ key, help }: Pick<SettingOut, 'key' | 'help'>): string => find(`setting.${key}.help`) ?? help;
export const choiceLabel = ({ key }: Pick<SettingOut, 'key'>, choice: string): string =>
  find(`setting.${key}.choice.${choice}`) ?? choice;

/** An example of what may stand in an empty field. */
export const exampleOf = ({ key }: Pick<SettingOut, 'key'>): string => find(`setting.${key}.example`) ?? '';
