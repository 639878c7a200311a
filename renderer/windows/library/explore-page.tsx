// Ways to music that nobody searched for: the mixes of today, radio, path and map.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { mixesQuery } from '../../api/likeness.ts';
import { MixShelf } from '../../features/browse/home/mix-shelf.tsx';
import { isOfFamily, usePlaces, type Place } from '../../music/places.ts';
import { Page } from '../../ui/page.tsx';
import { PlaceList } from './place-list.tsx';
import '../../i18n/page-texts.ts';

const TEXTS = { '/radio': 'placeText.radio', '/path': 'placeText.path', '/map': 'placeText.map' } as const;

const hasText = (place: Place): place is Place & { to: keyof typeof TEXTS } => place.to in TEXTS;

export function ExplorePage() {
  const { t } = useTranslation();
  const places = usePlaces().filter((place) => isOfFamily(place, 'explore') && hasText(place));
  const mixes = useQuery(mixesQuery()).data?.items ?? [];
  return (
    <Page title={t('nav.explore')}>
      <PlaceList
        label={t('nav.explore')}
        places={places}
        textOf={(place) => (hasText(place) ? t(TEXTS[place.to]) : '')}
      />
      {mixes.length > 0 && <MixShelf mixes={mixes} />}
    </Page>
  );
}
