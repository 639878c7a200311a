// A row of covers that scrolls sideways. Arrow keys move inside the row, which is one tab stop.
import { Link, type LinkProps } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconBackward, IconForward } from '../../ui/theme/icons.ts';
import type { AlbumOut } from '../../api/routes.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { AlbumCard, CardSkeleton } from './albums/album-card.tsx';
import styles from './shelf.module.css';
import { isRightToLeft, readingStep } from '../../ui/theme/reading-direction.ts';
import { usePlaceInScroller } from '../../ui/lists/scroller.ts';

const CARD_WIDTH = 172;
const NARROW_CARD_WIDTH = 140;
const PLACEHOLDERS = 8;
/** Pixels between cards and at both ends of the row, equal to --s5 and --s8. */
const [GAP, END] = [20, 32];

interface ShelfProps {
  title: string;
  /** Undefined while loading. */
  albums: AlbumOut[] | undefined;
  /** Link to the page with all albums. */
  to?: Pick<LinkProps, 'to' | 'search' | 'params'>;
  captionOf?: (album: AlbumOut) => string | undefined;
}

export function Shelf({ title, albums, to, captionOf }: ShelfProps) {
  const { t } = useTranslation();
  const row = useRef<HTMLUListElement>(null);
  const [stop, setStop] = useState(0);
  const isAtStart = useRef(true);
  // albums in front would otherwise scroll the row, which snaps to the card at which it was
  useLayoutEffect(() => {
    if (isAtStart.current) row.current?.scrollTo({ left: 0 });
  }, [albums]);
  const width = innerWidth < 768 ? NARROW_CARD_WIDTH : CARD_WIDTH;
  const { width: room } = usePlaceInScroller(row);
  if (albums?.length === 0) return null;
  const isLonger = !albums || albums.length * (width + GAP) - GAP + 2 * END > room;

  const scroll = (direction: 1 | -1) =>
    row.current?.scrollBy({
      left: (isRightToLeft() ? -direction : direction) * row.current.clientWidth * 0.8,
      behavior: 'smooth',
    });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = readingStep(event.key);
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min((albums?.length ?? 1) - 1, Math.max(0, stop + step));
    setStop(next);
    event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')[next]?.focus();
  };

  return (
    <section className={styles.shelf} aria-label={title}>
      <div className={styles.head}>
        {to ? (
          <Link {...to}>
            <h2>{title}</h2>
            <IconForward size={20} aria-hidden />
          </Link>
        ) : (
          <h2>{title}</h2>
        )}
        {isLonger && (
          <span className={styles.turn}>
            <IconButton
              label={t('home.back', { title })}
              icon={IconBackward}
              size="small"
              tabIndex={-1}
              onClick={() => scroll(-1)}
            />
            <IconButton
              label={t('home.on', { title })}
              icon={IconForward}
              size="small"
              tabIndex={-1}
              onClick={() => scroll(1)}
            />
          </span>
        )}
      </div>
      <ul
        ref={row}
        className={styles.row}
        style={{ '--card': `${width}px` } as CSSProperties}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget }) => (isAtStart.current = Math.abs(currentTarget.scrollLeft) < GAP)}
      >
        {albums
          ? albums.map((album, i) => (
              <li key={album.id} onFocus={() => setStop(i)}>
                <AlbumCard
                  album={album}
                  width={width}
                  tabIndex={i === Math.min(stop, albums.length - 1) ? 0 : -1}
                  caption={captionOf?.(album)}
                />
              </li>
            ))
          : Array.from({ length: PLACEHOLDERS }, (_, i) => (
              <li key={i}>
                <CardSkeleton />
              </li>
            ))}
      </ul>
    </section>
  );
}
