import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ArtistOut } from '../../../server/library/wire.ts';
import { coverSizeFor, coverUrl } from '../../api/urls.ts';
import { usePlay } from '../../player/use-play.ts';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { captionVariable, CardSkeleton } from './album-card.tsx';
import styles from './card.module.css';

export const ArtistCard = memo(function ArtistCard({ artist, width, tabIndex = 0 }: { artist: ArtistOut | undefined; width: number; tabIndex?: 0 | -1 }) {
  const { t } = useTranslation();
  const { playArtist } = usePlay();
  if (!artist) return <CardSkeleton round />;
  return (
    <div className={styles.card} style={captionVariable}>
      <RowLink href={`/artists/${artist.id}`} className={classNames(styles.picture, styles.round)} tabIndex={tabIndex} data-stop aria-label={artist.name}>
        <Cover src={artist.has_cover ? coverUrl('artists', artist.id, coverSizeFor(width)) : null} alt="" name={artist.name} className={styles.cover} />
      </RowLink>
      <button type="button" className={styles.play} tabIndex={-1} aria-label={t('artist.playLabel', { name: artist.name })} onClick={() => void playArtist(artist.id)}>
        <IconPlayerPlayFilled size={18} aria-hidden />
      </button>
      <span className={classNames(styles.title, styles.centred)} title={artist.name}>{artist.name}</span>
      <span className={classNames(styles.by, styles.centred)}>{artist.album_count > 0 ? t('album.count', { count: artist.album_count }) : t('track.count', { count: artist.track_count })}</span>
    </div>
  );
});
