// The display name of a mix of the day.
import type { TFunction } from 'i18next';
import type { Mix } from '../api/likeness.ts';
import { formatHour } from '../ui/format.ts';
import { isMood } from './moods.ts';
import '../i18n/page-texts.ts';

export const mixName = ({ kind, subject }: Mix, t: TFunction): string =>
  kind === 'mood' && isMood(subject)
    ? t('mix.kind.mood', { subject: t(`mood.${subject}`) })
    : t(`mix.kind.${kind}`, { subject: kind === 'hour' ? formatHour(Number(subject)) : subject });
