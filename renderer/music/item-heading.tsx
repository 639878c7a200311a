import { useTranslation } from 'react-i18next';
import { albumCover, coverUrl, trackCover } from '../api/urls.ts';
import { Cover } from '../ui/cover.tsx';
import { formatNumber } from '../ui/format.ts';
import rows from '../ui/lists/rows.module.css';
import type { Items } from './items.ts';
import styles from './menu.module.css';

/** Cover, name and artist of the items of a sheet; the name of the menu says the same. */
export function ItemHeading({ items }: { items: Items }) {
  const { t } = useTranslation();
  const { cover, by } = factsOf(items);
  return (
    <div className={styles.heading} aria-hidden>
      {cover !== undefined && (
        <Cover
          src={cover}
          alt=""
          {...(items.kind === 'artist' && { name: items.name })}
          className={styles.cover}
          eager
        />
      )}
      <span className={rows.text}>
        <span className={rows.title}>
          {items.name || t('select.chosen', { count: items.count, number: formatNumber(items.count) })}
        </span>
        {by && <span className={rows.by}>{by}</span>}
      </span>
    </div>
  );
}

/** Without a picture of its own, an item has no place for one. */
function factsOf(items: Items): { cover?: string | null; by?: string | null | undefined } {
  if (!items.only) return {};
  if (items.kind === 'track') return { cover: trackCover(items.only, 64), by: items.only.artist_name };
  if (items.kind === 'album') return { cover: albumCover(items.only, 64), by: items.only.artist_name };
  if (items.kind === 'artist') return { cover: items.only.has_cover ? coverUrl('artists', items.only.id, 64) : null };
  return {};
}
