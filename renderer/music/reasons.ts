// Texts that say why a track was chosen.
import type { TFunction } from 'i18next';
import type { Reason } from '../api/likeness.ts';
import { formatDateOnly, formatNumber, formatPercent } from '../ui/format.ts';
import '../i18n/page-texts.ts';

const MAX_TOLD_RANK = 0.5;

/**
 * Returns how close a track is among all tracks; empty for a track that is not close, and for a queue that an older
 * version stored without ranks.
 */
export const rankText = (rank: number | null | undefined, t: TFunction): string =>
  rank != null && rank <= MAX_TOLD_RANK ? t('why.rank', { share: formatPercent(Math.ceil(100 * rank) / 100) }) : '';

function reasonText(reason: Reason, t: TFunction): string {
  switch (reason.kind) {
    case 'sounds_like': {
      const rank = rankText(reason.rank, t);
      return rank === ''
        ? t('why.sounds_like', { title: reason.title })
        : t('why.sounds_like_ranked', { title: reason.title, rank });
    }
    case 'more_like':
    case 'less_like':
      return t(`why.${reason.kind}`, { title: reason.title });
    case 'same_tempo':
      return t('why.same_tempo', { bpm: formatNumber(Math.round(reason.bpm)), title: reason.title });
    case 'matching_key':
      return t('why.matching_key', { key: reason.key, title: reason.title });
    case 'same_artist':
      return t('why.same_artist', { name: reason.name });
    case 'same_genre':
      return t('why.same_genre', { genre: reason.genre });
    case 'same_years':
      return t('why.same_years', { year: reason.year });
    case 'mood':
      return t('why.mood', { mood: t(`mood.${reason.mood}`) });
    case 'played_at_this_hour':
      return t('why.played_at_this_hour', { count: reason.plays });
    case 'played_lately':
      return t('why.played_lately', { title: reason.title, count: reason.plays });
    case 'forgotten':
      return t('why.forgotten', { count: reason.plays, date: formatDateOnly(reason.last_played_at) });
    case 'on_the_way':
      return t('why.on_the_way', { step: formatNumber(reason.step), steps: formatNumber(reason.steps) });
    default:
      return t(`why.${reason.kind}`);
  }
}

/** Returns the text of the strongest reasons, strongest first. */
export const reasonsText = (reasons: readonly Reason[], t: TFunction, maxReasons = 2): string =>
  reasons
    .slice(0, maxReasons)
    .map((reason) => reasonText(reason, t))
    .join(' · ');
