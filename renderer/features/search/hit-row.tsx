import { useTranslation } from 'react-i18next';
import type { TFunction } from 'i18next';
import {
  IconFetch,
  IconFolder,
  IconGenre,
  IconHistory,
  IconPlaylist,
  IconRules,
  IconSave,
  type Icon,
} from '../../ui/theme/icons.ts';
import type { SearchHit } from '../../api/routes.ts';
import { albumCover, coverUrl, remoteCover, trackCover } from '../../api/urls.ts';
import { useRemoteHitState } from '../../music/use-remote-hit.ts';
import { Cover } from '../../ui/cover.tsx';
import { markItems } from '../../music/item-marks.ts';
import { itemsOf, type Hit } from './hits.ts';
import { classNames } from '../../ui/class-names.ts';
import '../../i18n/page-texts.ts';
import rows from '../../ui/lists/rows.module.css';
import hitStyles from './hits.module.css';
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
  const items = itemsOf(hit);
  const { title, by, cover, name, icon: Symbol } = factsOf(hit, t);
  return (
    <div
      id={domId}
      role="option"
      aria-selected={active}
      className={classNames(hitStyles.hit, styles.hit)}
      onPointerMove={onPoint}
      onClick={onOpen}
      {...(items && markItems(items))}
    >
      {Symbol ? (
        <span className={hitStyles.symbol}>
          <Symbol size={20} stroke={1.75} aria-hidden />
        </span>
      ) : (
        <Cover src={cover ?? null} alt="" {...(name ? { name } : {})} />
      )}
      <span className={rows.text}>
        <span className={rows.title}>{title}</span>
        <span className={rows.by}>{by}</span>
      </span>
      {hit.kind === 'remote' ? (
        <HitState hit={hit.remote} onGet={onGet} />
      ) : (
        active && (
          <kbd className={styles.key}>
            {t(
              hit.kind === 'track' || hit.kind === 'lyrics'
                ? 'search.enterPlays'
                : hit.kind === 'command'
                  ? 'search.enterRuns'
                  : 'search.enterOpens',
            )}
          </kbd>
        )
      )}
    </div>
  );
}

/**
 * The state of a result from an online source, and the next step. Alt+Enter also runs the step, because an option must
 * not contain a button.
 */
function HitState({ hit, onGet }: { hit: SearchHit; onGet: (hit: SearchHit) => void }) {
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

interface HitFacts {
  title: string;
  by: string;
  cover?: string | null;
  /** The name of an artist, whose initials replace a picture. */
  name?: string;
  /** Displayed in place of a cover. */
  icon?: Icon;
}

export function factsOf(hit: Hit, t: TFunction): HitFacts {
  const joinFacts = (...parts: unknown[]) => parts.filter(Boolean).join(' · ');
  const unknown = t('library.unknownArtist');
  switch (hit.kind) {
    case 'artist':
      return {
        title: hit.artist.name,
        by:
          hit.artist.album_count > 0
            ? t('album.count', { count: hit.artist.album_count })
            : t('track.count', { count: hit.artist.track_count }),
        cover: hit.artist.has_cover ? coverUrl('artists', hit.artist.id, 64) : null,
        name: hit.artist.name,
      };
    case 'album':
      return {
        title: hit.album.title,
        by: joinFacts(hit.album.artist_name ?? unknown, hit.album.year),
        cover: albumCover(hit.album, 64),
      };
    case 'track':
      return {
        title: hit.track.title,
        by: joinFacts(hit.track.artist_name ?? unknown, hit.track.album_title),
        cover: trackCover(hit.track, 64),
      };
    case 'lyrics':
      return {
        title: joinFacts(hit.track.title, hit.track.artist_name ?? unknown),
        by: t('search.line', { text: hit.text }),
        cover: trackCover(hit.track, 64),
      };
    case 'playlist':
      return {
        title: hit.playlist.name,
        by: t('track.count', { count: hit.playlist.track_count }),
        icon: hit.playlist.is_smart ? IconRules : IconPlaylist,
      };
    case 'genre':
      return { title: hit.genre.name, by: t('track.count', { count: hit.genre.track_count }), icon: IconGenre };
    case 'folder':
      return { title: hit.folder.name, by: placeOf(hit.folder.path), icon: IconFolder };
    case 'command':
    case 'setting':
      return { title: hit.command.name, by: hit.command.by, icon: hit.command.icon };
    case 'recent':
      return { title: hit.text, by: '', icon: IconHistory };
    case 'remote':
      return {
        title: hit.remote.title,
        by: joinFacts(hit.remote.artist_name, hit.remote.album_title, hit.remote.year),
        cover: remoteCover(hit.remote.cover_url),
      };
  }
}

/** Returns the folders that contain the path. */
const placeOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')).replaceAll('/', ' / ') : '';
