import i18next from 'i18next';

/** Returns a day such as December 7, 2026. */
export const formatLongDate = (time: string | Date): string =>
  new Intl.DateTimeFormat(i18next.language, { dateStyle: 'long' }).format(new Date(time));
