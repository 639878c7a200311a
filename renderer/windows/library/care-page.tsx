// The first page of Library care: every part with what it has to decide.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trashTotalQuery } from '../../api/trash.ts';
import { isOfFamily, usePlaces, type Place } from '../../music/places.ts';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { PlaceList } from './place-list.tsx';
import { useCareCounts } from './use-care-counts.ts';
import '../../i18n/page-texts.ts';
import styles from './place-list.module.css';

const TEXTS = {
  '/review': 'placeText.review',
  '/duplicates': 'placeText.duplicates',
  '/album-changes': 'placeText.albumChanges',
  '/missing': 'placeText.missing',
  '/merges': 'placeText.merges',
  '/trash': 'placeText.trash',
  '/activity': 'placeText.activity',
} as const;

const hasText = (place: Place): place is Place & { to: keyof typeof TEXTS } => place.to in TEXTS;

export function CarePage() {
  const { t } = useTranslation();
  const places = usePlaces().filter((place) => isOfFamily(place, 'care') && hasText(place));
  const { counts, total, runningJobs } = useCareCounts();
  const trashTotal = useQuery(trashTotalQuery()).data?.total ?? 0;

  function figureOf({ to }: Place) {
    const count = counts[to] ?? 0;
    if (count > 0)
      return (
        <span className={styles.count} data-asks>
          {formatNumber(count)}
        </span>
      );
    if (to === '/activity' && runningJobs > 0)
      return <span className={styles.count}>{t('activity.running', { count: runningJobs })}</span>;
    return to === '/trash' && trashTotal > 0 && <span className={styles.count}>{formatNumber(trashTotal)}</span>;
  }
  return (
    <Page title={t('place.care')}>
      <p className={styles.lead} aria-live="polite">
        {total > 0 ? t('sideBar.questions', { count: total }) : t('sideBar.noQuestions')}
      </p>
      <PlaceList
        label={t('place.care')}
        places={places}
        textOf={(place) => (hasText(place) ? t(TEXTS[place.to]) : '')}
        figureOf={figureOf}
      />
    </Page>
  );
}
