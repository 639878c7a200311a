import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { albumCover, coverSizeFor } from '../../../api/urls.ts';
import type { AlbumOut } from '../../../api/routes.ts';
import { markItems } from '../../../music/item-marks.ts';
import { albumItems } from '../../../music/items.ts';
import { MoreButton } from '../../../music/more-button.tsx';
import { AlbumArtistLinks } from './album-artist-links.tsx';
import { usePlay } from '../../../player/use-player.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Cover } from '../../../ui/cover.tsx';
import { PlayIcon } from '../../../ui/theme/css-icons.tsx';
import { RowLink } from '../../../ui/lists/row-link.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { useLast } from '../../../ui/use-last.ts';
import rows from '../../../ui/lists/rows.module.css';
import styles from '../card.module.css';

/** Height of the two lines below the cover. */
export const CAPTION_HEIGHT = 48;
export const captionVariable = { '--caption': `${CAPTION_HEIGHT}px` } as React.CSSProperties;

interface AlbumCardProps {
  /** Undefined while the album loads. */
  album: AlbumOut | undefined;
  width: number;
  tabIndex?: 0 | -1;
  /** The line below the title; the artist by default. */
  caption?: string | undefined;
}

export const AlbumCard = memo(function AlbumCard({
  album: currentAlbum,
  width,
  tabIndex = 0,
  caption,
}: AlbumCardProps) {
  const { t } = useTranslation();
  const { playAlbum } = usePlay();
  const album = useLast(currentAlbum);
  if (!album) return <CardSkeleton />;
  const by = caption ?? album.artist_name ?? t('library.unknownArtist');
  return (
    <div
      className={styles.card}
      style={captionVariable}
      data-blank={currentAlbum === undefined || undefined}
      {...markItems(albumItems(album))}
    >
      <RowLink
        href={`/albums/${album.id}`}
        className={styles.link}
        tabIndex={tabIndex}
        data-stop={currentAlbum !== undefined || undefined}
        aria-label={t('album.cardLabel', {
          title: album.title,
          artist: album.artist_name ?? t('library.unknownArtist'),
        })}
      >
        <Cover src={albumCover(album, coverSizeFor(width))} alt="" className={styles.cover} />
        <span className={classNames(rows.line, styles.title)} title={album.title}>
          {album.title}
        </span>
      </RowLink>
      <button
        type="button"
        className={styles.play}
        tabIndex={-1}
        aria-label={t('album.playLabel', { title: album.title })}
        onClick={() => void playAlbum(album.id)}
      >
        <PlayIcon size={18} />
      </button>
      <MoreButton items={() => albumItems(album)} name={album.title} className={styles.more} tabIndex={-1} />
      <span className={rows.by}>
        {caption === undefined && album.artist_id !== null ? (
          <AlbumArtistLinks
            artists={album.artists}
            linkTo={({ id, name }) => (
              <RowLink href={`/artists/${id}`} tabIndex={-1}>
                {name}
              </RowLink>
            )}
          />
        ) : (
          by
        )}
      </span>
    </div>
  );
});

/** A card that leads to the tracks without an album title. */
export function UnnamedCard({ tabIndex }: { tabIndex: 0 | -1 }) {
  const { t } = useTranslation();
  return (
    <div className={styles.card} style={captionVariable}>
      <RowLink
        href="/albums?unnamed=true"
        className={styles.link}
        tabIndex={tabIndex}
        data-stop
        aria-label={t('library.noAlbum')}
      >
        <Cover src={null} alt="" className={styles.cover} />
        <span className={classNames(rows.line, styles.title)}>{t('library.noAlbum')}</span>
      </RowLink>
      <span className={rows.by}>{t('library.noAlbumHint')}</span>
    </div>
  );
}

export function CardSkeleton({ round = false }: { round?: boolean }) {
  return (
    <div className={styles.card} style={captionVariable}>
      <div style={{ aspectRatio: '1' }}>
        <Skeleton height="100%" {...(round ? { radius: '50%' } : {})} />
      </div>
      <div className={styles.title}>
        <Skeleton width="72%" height="14px" />
      </div>
      <div style={{ paddingTop: 6 }}>
        <Skeleton width="48%" height="12px" />
      </div>
    </div>
  );
}
