import { useTranslation } from 'react-i18next';
import type { AlbumOut, TrackOut } from '../../../server/library/wire.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { moveAmongRows } from '../../ui/row-keys.ts';
import { TrackRow } from './track-row.tsx';
import styles from './track-list.module.css';

interface DiscListProps {
  tracks: TrackOut[];
  albumArtist: string | null;
  titles: AlbumOut['disc_titles'];
}

/** The tracks of an album, by disc when there are several. */
export function DiscList({ tracks, albumArtist, titles }: DiscListProps) {
  const { t } = useTranslation();
  function nameOf(disc: number): string {
    const title = titles.find((one) => one.disc === disc)?.title;
    const side = /^Side ([A-Z])$/.exec(title ?? '')?.[1];
    if (side !== undefined) return t('album.side', { side });
    const number = t('album.disc', { number: disc });
    return title === undefined ? number : `${number}: ${title}`;
  }
  const player = usePlayerCommands();
  const mixed = new Set(tracks.map((track) => track.format)).size > 1;
  const discs = [...Map.groupBy(tracks, (track) => track.disc_number ?? 1)];
  return (
    <div className={styles.list} onKeyDown={moveAmongRows}>
      {discs.map(([disc, onDisc]) => (
        <section key={disc} aria-label={discs.length > 1 ? nameOf(disc) : t('nav.tracks')}>
          {discs.length > 1 && <h2 className={styles.disc}>{nameOf(disc)}</h2>}
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
