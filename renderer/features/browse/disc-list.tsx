import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../../server/library/wire.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { moveAmongRows } from '../../ui/row-keys.ts';
import { TrackRow } from './track-row.tsx';
import styles from './track-list.module.css';

/** The tracks of an album, by disc when there are several. */
export function DiscList({ tracks, albumArtist }: { tracks: TrackOut[]; albumArtist: string | null }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const mixed = new Set(tracks.map((track) => track.format)).size > 1;
  const discs = [...Map.groupBy(tracks, (track) => track.disc_number ?? 1)];
  return (
    <div className={styles.list} onKeyDown={moveAmongRows}>
      {discs.map(([disc, onDisc]) => (
        <section key={disc} aria-label={discs.length > 1 ? t('album.disc', { number: disc }) : t('nav.tracks')}>
          {discs.length > 1 && <h2 className={styles.disc}>{t('album.disc', { number: disc })}</h2>}
          <ol>
            {onDisc.map((track) => (
              <TrackRow
                key={track.id}
                track={track}
                lead="number"
                withArtist={track.artist_name !== albumArtist}
                withFormat={mixed}
                onPlay={() =>
                  player.playTracks(tracks, {
                    startAt: tracks.indexOf(track),
                    shuffle: false,
                    from: track.album_title,
                  })
                }
              />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}
