import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import type { Place } from '../../music/places.ts';
import styles from './place-list.module.css';

interface PlaceListProps {
  label: string;
  places: readonly Place[];
  /** Returns what the page is for. */
  textOf: (place: Place) => string;
  /** Returns what is displayed at the end of the row. */
  figureOf?: (place: Place) => ReactNode;
}

/** Links to pages, each with a sentence about it. */
export function PlaceList({ label, places, textOf, figureOf }: PlaceListProps) {
  const { t } = useTranslation();
  return (
    <ul className={styles.list} aria-label={label} onKeyDown={moveAmongRows}>
      {places.map((place) => {
        const { to, text, icon: Symbol } = place;
        return (
          <li key={to}>
            <Link to={to} className={styles.row} data-stop>
              <Symbol size={24} stroke={1.75} aria-hidden />
              <span className={styles.words}>
                <span>{t(text)}</span>
                <span className={styles.text}>{textOf(place)}</span>
              </span>
              {figureOf?.(place)}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
