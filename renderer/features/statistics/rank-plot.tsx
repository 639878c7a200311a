// Top items: a bar for each, labelled with its name and linked to its page.
import { useElementSize } from '@mantine/hooks';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isRightToLeft } from '../../ui/theme/reading-direction.ts';
import styles from './statistics.module.css';

export interface Rank {
  key: string | number;
  name: string;
  /** Text next to the name, such as the artist of an album. */
  by?: string | null;
  value: number;
  /** Cover before the name; null if the item has no cover, undefined if no item of the list has one. */
  cover?: string | null;
  to?: Pick<LinkProps, 'to' | 'params' | 'search'> | undefined;
}

const ROW_HEIGHT = 44;
const COVER_SIZE = 36;
const BAR_HEIGHT = 6;
/** Approximate width of a letter, so that a name does not overlap the number beside it. */
const LETTER_WIDTH = 7;

export function RankPlot({ ranks, format }: { ranks: readonly Rank[]; format: (value: number) => string }) {
  const { ref, width } = useElementSize();
  const maxValue = Math.max(1, ...ranks.map(({ value }) => value));
  const shorten = (text: string, room: number) =>
    text.length * LETTER_WIDTH > room ? `${text.slice(0, Math.max(1, Math.floor(room / LETTER_WIDTH) - 1))}…` : text;
  /** Returns the left edge of an element with width `of`, mirrored in right-to-left languages. */
  const across = (x: number, elementWidth = 0): number => (isRightToLeft() ? width - x - elementWidth : x);
  return (
    <div ref={ref}>
      <svg width={width} height={ranks.length * ROW_HEIGHT} className={styles.ranks} role="list">
        {ranks.map((rank, i) => {
          const start = rank.cover === undefined ? 0 : COVER_SIZE + 12;
          const room = width - start - format(rank.value).length * LETTER_WIDTH - 16;
          const name = shorten(rank.name, room);
          const by = rank.by ? shorten(rank.by, room - name.length * LETTER_WIDTH - 12) : '';
          const words = (
            <text x={across(start)} y={i * ROW_HEIGHT + 16}>
              <tspan className={styles.rankName}>{name}</tspan>
              {by.length > 2 && (
                <tspan className={styles.rankBy} dx={8}>
                  {by}
                </tspan>
              )}
            </text>
          );
          return (
            <g
              key={rank.key}
              role="listitem"
              aria-label={[rank.name, rank.by, format(rank.value)].filter(Boolean).join(', ')}
            >
              <title>{[rank.name, rank.by].filter(Boolean).join(' · ')}</title>
              {rank.cover !== undefined && (
                <rect
                  x={across(0, COVER_SIZE)}
                  y={i * ROW_HEIGHT}
                  width={COVER_SIZE}
                  height={COVER_SIZE}
                  rx={4}
                  className={styles.rankGround}
                />
              )}
              {rank.cover && (
                <image
                  href={rank.cover}
                  x={across(0, COVER_SIZE)}
                  y={i * ROW_HEIGHT}
                  width={COVER_SIZE}
                  height={COVER_SIZE}
                  preserveAspectRatio="xMidYMid slice"
                  className={styles.rankCover}
                />
              )}
              <RankLink to={rank.to} name={[rank.name, rank.by].filter(Boolean).join(', ')}>
                {words}
              </RankLink>
              <text x={across(width)} y={i * ROW_HEIGHT + 16} textAnchor="end" className={styles.rankValue}>
                {format(rank.value)}
              </text>
              {[
                { className: styles.rankGround, share: 1 },
                { className: styles.rankBar, share: rank.value / maxValue },
              ].map(({ className, share }) => {
                const length = Math.max(BAR_HEIGHT, share * (width - start));
                return (
                  <rect
                    key={className}
                    x={across(start, length)}
                    y={i * ROW_HEIGHT + 26}
                    width={length}
                    height={BAR_HEIGHT}
                    rx={3}
                    className={className}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const RankLink = ({ to, name, children }: { to: Rank['to']; name: string; children: ReactNode }) =>
  to ? (
    <Link {...to} aria-label={name}>
      {children}
    </Link>
  ) : (
    children
  );
