import i18next from 'i18next';

/** How sure a match is: 0..1 as a share in percent. */
export const scoreText = (score: number): string =>
  new Intl.NumberFormat(i18next.language, { style: 'percent' }).format(score);
