import { useQuery } from '@tanstack/react-query';
import { IconBookmarkPlus, IconCloudDownload, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SearchHit } from '../../../server/search/remote-wire.ts';
import { detailOf } from '../../api/problem.ts';
import { useMaterialize, useSaveRemote } from '../../api/remote.ts';
import { trackQuery } from '../../api/tracks.ts';
import { remoteCover } from '../../api/urls.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatClock } from '../../ui/format.ts';
import styles from './discover.module.css';

/** A hit, and the next thing to do with it: save, fetch, play. */
export function HitRow({ hit }: { hit: SearchHit }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const save = useSaveRemote();
  const fetchAudio = useMaterialize();
  const saved = useQuery({ ...trackQuery(hit.track_id ?? 0), enabled: hit.track_id !== null });
  const track = saved.data;
  const availability = track?.availability ?? hit.availability;
  const error = save.error ?? fetchAudio.error;
  /** Fetching begins with saving. */
  const fetchIt = async () => fetchAudio.mutate(hit.track_id ?? (await save.mutateAsync(hit)).id);
  const isBusy = save.isPending || fetchAudio.isPending || availability === 'fetching';
  return (
    <li className={classNames(styles.hit, availability !== 'available' && styles.dim)} data-stop data-track={hit.track_id ?? undefined} tabIndex={-1} aria-label={[hit.title, hit.artist_name].filter(Boolean).join(', ')}>
      <Cover src={remoteCover(hit.cover_url)} alt="" className={styles.cover} />
      <div className={styles.text}>
        <span className={styles.title}>{hit.title}</span>
        <span className={styles.by}>{[hit.artist_name, hit.album_title, hit.year].filter(Boolean).join(' · ')}</span>
        {error && <span role="alert" className={styles.error}>{detailOf(error)}</span>}
      </div>
      <span className={styles.note}>{hit.in_library && t(availability === 'available' ? 'discover.here' : availability === 'fetching' ? 'discover.fetching' : 'discover.saved')}</span>
      <span className={styles.note}>{hit.duration_ms !== null && formatClock(hit.duration_ms)}</span>
      <span className={styles.buttons}>
        {availability === 'available' && track
          ? <Button icon={IconPlayerPlayFilled} onClick={() => player.playTracks([track])} aria-label={t('track.playLabel', { title: hit.title })}>{t('player.play')}</Button>
          : (
            <>
              {!hit.in_library && <Button icon={IconBookmarkPlus} disabled={isBusy} onClick={() => save.mutate(hit)} aria-label={t('discover.saveLabel', { title: hit.title })}>{t('discover.save')}</Button>}
              <Button icon={IconCloudDownload} disabled={isBusy} onClick={() => void fetchIt().catch(() => {})} aria-label={t('discover.fetchLabel', { title: hit.title })}>{t('discover.fetch')}</Button>
            </>
          )}
      </span>
    </li>
  );
}
