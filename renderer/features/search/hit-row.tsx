import { useTranslation } from 'react-i18next';
import { IconFetch, IconSave } from '../../ui/icons.ts';
import type { SearchHit } from '../../../server/search/remote-wire.ts';
import { albumCover, coverUrl, remoteCover, trackCover } from '../../api/urls.ts';
import { useRemoteHitState } from '../../music/use-remote-hit.ts';
import { Cover } from '../../ui/cover.tsx';
import type { Hit } from './hits.ts';
import rows from '../../ui/rows.module.css';
import styles from './palette.module.css';

interface HitRowProps {
  hit: Hit;
  domId: string;
  active: boolean;
  onPoint: () => void;
  onOpen: (event: { shiftKey: boolean }) => void;
  onGet: (hit: SearchHit) => void;
}

export function HitRow({ hit, domId, active, onPoint, onOpen, onGet }: HitRowProps) {
  const { t } = useTranslation();
  const { title, by, cover, name } = factsOf(hit, t('library.unknownArtist'), (count) => t('album.count', { count }));
  return (
    <div
      id={domId}
      role="option"
      aria-selected={active}
      className={styles.hit}
      onPointerMove={onPoint}
      onClick={onOpen}
    >
      <Cover src={cover} alt="" {...(name ? { name } : {})} />
      <span className={rows.text}>
        <span className={rows.title}>{title}</span>
        <span className={rows.by}>{by}</span>
      </span>
      {hit.kind === 'remote' ? (
        <Where hit={hit.remote} onGet={onGet} />
      ) : (
        active && (
          <kbd className={styles.key}>{t(hit.kind === 'track' ? 'search.enterPlays' : 'search.enterOpens')}</kbd>
        )
      )}
    </div>
  );
}

/**
 * The state of a result from an online source, and the next step. The step is also Alt+Enter, because an option must
 * not contain a button.
 */
function Where({ hit, onGet }: { hit: SearchHit; onGet: (hit: SearchHit) => void }) {
  const { t } = useTranslation();
  const { availability, word } = useRemoteHitState(hit);
  const isStill = availability === 'available' || availability === 'fetching';
  const Symbol = availability === null ? IconSave : IconFetch;
  return (
    <span className={styles.where}>
      {word && t(word)}
      {!isStill && (
        <span
          className={styles.get}
          title={t(availability === null ? 'discover.save' : 'discover.fetch')}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onGet(hit);
          }}
        >
          <Symbol size={18} />
        </span>
      )}
    </span>
  );
}

function factsOf(
  hit: Hit,
  unknown: string,
  albums: (count: number) => string,
): { title: string; by: string; cover: string | null; name?: string } {
  const joined = (...parts: unknown[]) => parts.filter(Boolean).join(' · ');
  if (hit.kind === 'artist')
    return {
      title: hit.artist.name,
      by: albums(hit.artist.album_count),
      cover: hit.artist.has_cover ? coverUrl('artists', hit.artist.id, 64) : null,
      name: hit.artist.name,
    };
  if (hit.kind === 'album')
    return {
      title: hit.album.title,
      by: joined(hit.album.artist_name ?? unknown, hit.album.year),
      cover: albumCover(hit.album, 64),
    };
  if (hit.kind === 'remote')
    return {
      title: hit.remote.title,
      by: joined(hit.remote.artist_name, hit.remote.album_title, hit.remote.year),
      cover: remoteCover(hit.remote.cover_url),
    };
  return {
    title: hit.track.title,
    by: joined(hit.track.artist_name ?? unknown, hit.track.album_title),
    cover: trackCover(hit.track, 64),
  };
}
