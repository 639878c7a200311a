import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { coverSizeFor, coverUrl } from '../../../api/urls.ts';
import type { ArtistOut } from '../../../api/routes.ts';
import { markItems } from '../../../music/item-marks.ts';
import { artistItems } from '../../../music/items.ts';
import { MoreButton } from '../../../music/more-button.tsx';
import { usePlay } from '../../../player/use-player.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Cover } from '../../../ui/cover.tsx';
import { PlayIcon } from '../../../ui/theme/css-icons.tsx';
import { RowLink } from '../../../ui/lists/row-link.tsx';
import { useLast } from '../../../ui/use-last.ts';
import { captionVariable, CardSkeleton } from '../albums/album-card.tsx';
import rows from '../../../ui/lists/rows.module.css';
import styles from '../card.module.css';

export const ArtistCard = memo(function ArtistCard({
  artist: currentArtist,
  width,
  tabIndex = 0,
}: {
  artist: ArtistOut | undefined;
  width: number;
  tabIndex?: 0 | -1;
}) {
  const { t } = useTranslation();
  const { playArtist } = usePlay();
  const artist = useLast(currentArtist);
  if (!artist) return <CardSkeleton round />;
  return (
    <div
      className={classNames(styles.card, styles.person)}
      style={captionVariable}
      data-blank={currentArtist === undefined || undefined}
      {...markItems(artistItems(artist))}
    >
      <RowLink
        href={`/artists/${artist.id}`}
        className={styles.link}
        tabIndex={tabIndex}
        data-stop={currentArtist !== undefined || undefined}
        aria-label={artist.name}
      >
        <Cover
          src={artist.has_cover ? coverUrl('artists', artist.id, coverSizeFor(width)) : null}
          alt=""
          name={artist.name}
          className={styles.cover}
        />
        <span className={classNames(rows.line, styles.title, styles.centred)} title={artist.name}>
          {artist.name}
        </span>
      </RowLink>
      <button
        type="button"
        className={styles.play}
        tabIndex={-1}
        aria-label={t('artist.playLabel', { name: artist.name })}
        onClick={() => void playArtist(artist.id)}
      >
        <PlayIcon size={18} />
      </button>
      <MoreButton items={() => artistItems(artist)} name={artist.name} className={styles.more} tabIndex={-1} />
      <span className={classNames(rows.by, styles.centred)}>
        {artist.album_count > 0
          ? t('album.count', { count: artist.album_count })
          : t('track.count', { count: artist.track_count })}
      </span>
    </div>
  );
});
