import { useTranslation } from 'react-i18next';
import { usePlayerCommands } from '../../../player/use-player.ts';
import type { AlbumOut, TrackOut, WorkOut } from '../../../api/routes.ts';
import { moveAmongRows } from '../../../ui/lists/row-keys.ts';
import { TrackRow } from '../tracks/track-row.tsx';
import { groupByWork, movementName } from './work-groups.ts';
import { WorkHeading } from './work-heading.tsx';
import workStyles from './work-heading.module.css';
import styles from '../tracks/track-list.module.css';

interface DiscListProps {
  tracks: TrackOut[];
  albumArtist: string | null;
  titles: AlbumOut['disc_titles'];
  works: readonly WorkOut[];
}

/** The tracks of an album, grouped by disc if the album has several discs, and by work where they are movements. */
export function DiscList({ tracks, albumArtist, titles, works }: DiscListProps) {
  const { t } = useTranslation();
  const titleOf = (disc: number | null): string | undefined =>
    titles.find((discTitle) => discTitle.disc === disc)?.title;
  const sideOf = (disc: number | null): string | undefined => /^Side ([A-Z])$/.exec(titleOf(disc) ?? '')?.[1];
  function nameOf(disc: number | null): string {
    if (disc === null) return t('album.withoutNumber');
    const title = titleOf(disc);
    const side = sideOf(disc);
    if (side !== undefined) return t('album.side', { side });
    const number = t('album.disc', { number: disc });
    return title === undefined ? number : `${number}: ${title}`;
  }
  const player = usePlayerCommands();
  const hasMixedFormats = new Set(tracks.map((track) => track.format)).size > 1;
  const numbers = new Set(tracks.flatMap(({ disc_number }) => disc_number ?? []));
  // tracks with neither disc nor track number follow the last of several discs
  const discs = [
    ...Map.groupBy(tracks, ({ disc_number, track_number }) =>
      disc_number === null && track_number === null && numbers.size > 1 ? null : (disc_number ?? 1),
    ),
  ];
  const rowOf = (track: TrackOut, disc: number | null, name?: string) => (
    <TrackRow
      key={track.id}
      track={track}
      name={name}
      lead="number"
      side={sideOf(disc)}
      withArtist={track.artist_name !== albumArtist}
      withFormat={hasMixedFormats}
      withPlays
      withStars
      onPlay={() =>
        player.playTracks(tracks, {
          startAt: tracks.indexOf(track),
          shuffle: false,
          from: track.album_title,
        })
      }
    />
  );
  return (
    <div className={styles.list} onKeyDown={moveAmongRows}>
      {discs.map(([disc, onDisc]) => (
        <section key={disc} aria-label={discs.length > 1 ? nameOf(disc) : t('nav.tracks')}>
          {discs.length > 1 && <h2 className={styles.disc}>{nameOf(disc)}</h2>}
          <ol>
            {groupByWork(onDisc, works).map(({ work, tracks: groupTracks }) =>
              work ? (
                <li key={`work ${groupTracks[0]?.id}`}>
                  <WorkHeading work={work} tracks={groupTracks} isBelowDisc={discs.length > 1} />
                  <ol className={workStyles.movements}>
                    {groupTracks.map((track) => rowOf(track, disc, movementName(work, track.id)))}
                  </ol>
                </li>
              ) : (
                groupTracks.map((track) => rowOf(track, disc))
              ),
            )}
          </ol>
        </section>
      ))}
    </div>
  );
}
