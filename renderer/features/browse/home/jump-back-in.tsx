// Albums not played to their end; a click continues after the last played track.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconPlay } from '../../../ui/theme/icons.ts';
import { albumTracksQuery } from '../../../api/library.ts';
import { albumCover } from '../../../api/urls.ts';
import { markItems } from '../../../music/item-marks.ts';
import { albumItems } from '../../../music/items.ts';
import { usePlayerCommands } from '../../../player/use-player.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Cover } from '../../../ui/cover.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import rows from '../../../ui/lists/rows.module.css';
import type { UnfinishedAlbum } from '../albums/unfinished-albums.ts';
import styles from './jump-back-in.module.css';

const PLACEHOLDERS = 3;

/** `begun` is undefined while the albums are unknown. */
export function JumpBackIn({ begun }: { begun: readonly UnfinishedAlbum[] | undefined }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  if (begun?.length === 0) return null;

  const goOn = async ({ album, lastTrackId }: UnfinishedAlbum) => {
    const tracks = await queries.ensureQueryData(albumTracksQuery(album.id));
    const trackIndex = tracks.findIndex(({ id }) => id === lastTrackId) + 1;
    player.playTracks(tracks, {
      startAt: trackIndex < tracks.length ? trackIndex : 0,
      shuffle: false,
      from: album.title,
    });
  };

  return (
    <section className={styles.part} aria-label={t('home.jumpBackIn')}>
      <h2>{t('home.jumpBackIn')}</h2>
      <ul className={styles.tiles}>
        {begun
          ? begun.map((begunAlbum) => (
              <li key={begunAlbum.album.id} className={styles.tile} {...markItems(albumItems(begunAlbum.album))}>
                <Cover src={albumCover(begunAlbum.album, 160)} alt="" className={styles.cover} />
                <div className={classNames(rows.text, styles.text)}>
                  <Link to="/albums/$albumId" params={{ albumId: begunAlbum.album.id }} className={rows.line}>
                    {begunAlbum.album.title}
                  </Link>
                  <span className={rows.by}>
                    {t('home.heardOf', { heard: begunAlbum.heardCount, count: begunAlbum.album.track_count })}
                  </span>
                </div>
                <button
                  type="button"
                  className={styles.play}
                  aria-label={t('home.goOn', { title: begunAlbum.album.title })}
                  onClick={() => void goOn(begunAlbum)}
                >
                  <IconPlay size={16} aria-hidden />
                </button>
              </li>
            ))
          : Array.from({ length: PLACEHOLDERS }, (_, i) => (
              <li key={i}>
                <Skeleton height="64px" />
              </li>
            ))}
      </ul>
    </section>
  );
}
