// What a mix of the day is called.
import type { TFunction } from 'i18next';
import type { Mix } from '../api/likeness.ts';
import { isMood } from './moods.ts';

export const mixName = ({ kind, subject }: Mix, t: TFunction): string =>
  kind === 'mood' && isMood(subject)
    ? t('mix.kind.mood', { subject: t(`mood.${subject}`) })
    : t(`mix.kind.${kind}`, { subject });
