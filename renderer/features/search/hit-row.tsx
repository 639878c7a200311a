import { useTranslation } from 'react-i18next';
import { albumCover, coverUrl, trackCover } from '../../api/urls.ts';
import { Cover } from '../../ui/cover.tsx';
import type { Hit } from './hits.ts';
import styles from './palette.module.css';

interface HitRowProps { hit: Hit; domId: string; active: boolean; onPoint: () => void; onOpen: (event: { shiftKey: boolean }) => void }

export function HitRow({ hit, domId, active, onPoint, onOpen }: HitRowProps) {
  const { t } = useTranslation();
  const { title, by, cover, name } = factsOf(hit, t('library.unknownArtist'), (count) => t('album.count', { count }));
  return (
    <div id={domId} role="option" aria-selected={active} className={styles.hit} onPointerMove={onPoint} onClick={onOpen}>
      <Cover src={cover} alt="" {...(name ? { name } : {})} />
      <span className={styles.text}>
        <span>{title}</span>
        <span>{by}</span>
      </span>
      {active && <kbd className={styles.key}>{t(hit.kind === 'track' ? 'search.enterPlays' : 'search.enterOpens')}</kbd>}
    </div>
  );
}

function factsOf(hit: Hit, unknown: string, albums: (count: number) => string): { title: string; by: string; cover: string | null; name?: string } {
  if (hit.kind === 'artist') return { title: hit.artist.name, by: albums(hit.artist.album_count), cover: hit.artist.has_cover ? coverUrl('artists', hit.artist.id, 64) : null, name: hit.artist.name };
  if (hit.kind === 'album') return { title: hit.album.title, by: [hit.album.artist_name ?? unknown, hit.album.year].filter(Boolean).join(' · '), cover: albumCover(hit.album, 64) };
  return { title: hit.track.title, by: [hit.track.artist_name ?? unknown, hit.track.album_title].filter(Boolean).join(' · '), cover: trackCover(hit.track, 64) };
}
