import { useTranslation } from 'react-i18next';
import { IconFetch, IconPlay, IconSave } from '../../ui/theme/icons.ts';
import type { SearchHit } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { remoteCover } from '../../api/urls.ts';
import { useRemoteCommands, useRemoteHitState } from '../../music/use-remote-hit.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatClock } from '../../ui/format.ts';
import '../../i18n/page-texts.ts';
import rows from '../../ui/lists/rows.module.css';
import styles from './discover.module.css';

/** A search result with its next action: save, download or play. */
export function HitRow({ hit }: { hit: SearchHit }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { track, availability, word } = useRemoteHitState(hit);
  const { trackOf, fetch, isPending, error } = useRemoteCommands();
  const isBusy = isPending || availability === 'fetching';
  const quietly = (work: Promise<unknown>) => void work.catch(() => {}); // `error` displays the failure
  return (
    <li
      className={classNames(rows.row, styles.hit, availability !== 'available' && styles.dim)}
      data-stop
      data-track={hit.track_id ?? undefined}
      tabIndex={-1}
      aria-label={[hit.title, hit.artist_name].filter(Boolean).join(', ')}
    >
      <Cover src={remoteCover(hit.cover_url)} alt="" className={styles.cover} />
      <div className={rows.text}>
        <span className={classNames(rows.title, styles.title)}>{hit.title}</span>
        <span className={rows.by}>{[hit.artist_name, hit.album_title, hit.year].filter(Boolean).join(' · ')}</span>
        {error && (
          <span role="alert" className={styles.error}>
            {detailOf(error)}
          </span>
        )}
      </div>
      <span className={styles.note}>{word && t(word)}</span>
      <span className={styles.note}>{hit.duration_ms !== null && formatClock(hit.duration_ms)}</span>
      <span className={styles.buttons}>
        {availability === 'available' && track ? (
          <Button
            icon={IconPlay}
            onClick={() => player.playTracks([track])}
            aria-label={t('track.playLabel', { title: hit.title })}
          >
            {t('player.play')}
          </Button>
        ) : (
          <>
            {availability === null && (
              <Button
                icon={IconSave}
                disabled={isBusy}
                onClick={() => quietly(trackOf(hit))}
                aria-label={t('discover.saveLabel', { title: hit.title })}
              >
                {t('discover.save')}
              </Button>
            )}
            <Button
              icon={IconFetch}
              disabled={isBusy}
              onClick={() => quietly(fetch(hit))}
              aria-label={t('discover.fetchLabel', { title: hit.title })}
            >
              {t('discover.fetch')}
            </Button>
          </>
        )}
      </span>
    </li>
  );
}
