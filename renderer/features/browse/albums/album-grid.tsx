// Albums as a grid of covers below a heading. The grid is one tab stop; arrow keys move in it.
import { useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlbumOut } from '../../../api/routes.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { readingStep } from '../../../ui/theme/reading-direction.ts';
import { AlbumCard } from './album-card.tsx';
import '../../../i18n/page-texts.ts';
import shelf from '../shelf.module.css';
import styles from './album-grid.module.css';

/** Number of albums that are shown at first. */
const FIRST_ALBUMS = 24;
/** The width for which covers are requested; the grid stretches cards a little. */
const CARD_WIDTH = 200;

interface AlbumGridProps {
  title: string;
  albums: readonly AlbumOut[];
  /** Returns the line below the title of an album; the artist by default. */
  captionOf?: (album: AlbumOut) => string | undefined;
}

export function AlbumGrid({ title, albums, captionOf }: AlbumGridProps) {
  const { t } = useTranslation();
  const [showsAll, setAll] = useState(false);
  const [stop, setStop] = useState(0);
  if (albums.length === 0) return null;
  const shownAlbums = showsAll ? albums : albums.slice(0, FIRST_ALBUMS);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
    const rowTop = links[0]?.getBoundingClientRect().top;
    const columns = links.filter((link) => link.getBoundingClientRect().top === rowTop).length;
    const step = readingStep(event.key) || { ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = stop + step;
    if (next < 0 || next >= links.length) return;
    setStop(next);
    links[next]?.focus();
  };

  return (
    <section className={shelf.shelf} aria-label={title}>
      <div className={shelf.head}>
        <h2>{title}</h2>
        <span className={styles.count}>{formatNumber(albums.length)}</span>
      </div>
      <ul className={styles.grid} onKeyDown={onKeyDown}>
        {shownAlbums.map((album, i) => (
          <li key={album.id} onFocus={() => setStop(i)}>
            <AlbumCard
              album={album}
              width={CARD_WIDTH}
              tabIndex={i === Math.min(stop, shownAlbums.length - 1) ? 0 : -1}
              caption={captionOf?.(album)}
            />
          </li>
        ))}
      </ul>
      {shownAlbums.length < albums.length && (
        <Button className={styles.all} onClick={() => setAll(true)}>
          {t('artist.allAlbums', { count: albums.length })}
        </Button>
      )}
    </section>
  );
}
