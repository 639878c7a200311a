// Tracks that sound like this one, and other versions of the same song.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trackVersionsQuery } from '../../api/library.ts';
import type { TrackOut } from '../../api/routes.ts';
import { similarQuery } from '../../api/likeness.ts';
import { detailOf } from '../../api/problem.ts';
import { ChosenTracks } from '../../music/chosen-tracks.tsx';
import { trackItems } from '../../music/items.ts';
import { rankText } from '../../music/reasons.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { useActions } from '../../music/use-actions.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconPath, IconRadio } from '../../ui/theme/icons.ts';
import { Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

export function SoundsLike({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const { run } = useActions();
  const { data, error } = useQuery(similarQuery(track.id));
  const { data: files = [] } = useQuery(trackVersionsQuery(track.id));
  const versions =
    data?.versions.filter(({ track: otherTrack }) => files.every(({ id }) => id !== otherTrack.id)) ?? [];
  const items = trackItems(oneTrack(track));
  const from = t('radio.from', { name: track.title });
  return (
    <>
      {versions.length > 0 && (
        <section aria-label={t('similar.versions')}>
          <h3>{t('similar.versions')}</h3>
          <ChosenTracks
            label={t('similar.versions')}
            from={from}
            items={versions.map(({ track: otherTrack, kind, likeness_rank }) => ({
              track: otherTrack,
              note: [t(`similar.version.${kind}`), otherTrack.album_title, rankText(likeness_rank, t)]
                .filter(Boolean)
                .join(' · '),
            }))}
          />
        </section>
      )}
      <section aria-label={t('similar.title')}>
        <h3>{t('similar.title')}</h3>
        <div className={styles.actions}>
          <Button icon={IconRadio} onClick={() => void run('radio', items)}>
            {t('action.radio')}
          </Button>
          <Button icon={IconPath} onClick={() => void run('path', items)}>
            {t('action.path')}
          </Button>
        </div>
        {!data && !error && <Skeleton height="240px" />}
        {error && !data && <p className={styles.quiet}>{detailOf(error)}</p>}
        {data?.by === 'tags' && <p className={styles.quiet}>{t('radio.byTags')}</p>}
        {data?.items.length === 0 && <p className={styles.quiet}>{t('similar.none')}</p>}
        {data && data.items.length > 0 && <ChosenTracks label={t('similar.title')} items={data.items} from={from} />}
      </section>
    </>
  );
}
