import type { CSSProperties, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Cover } from './cover.tsx';
import { Skeleton } from './states.tsx';
import styles from './hero.module.css';

interface HeroProps {
  kind: string;
  name: string;
  cover: string | null;
  /** Displayed instead of the cover. */
  picture?: ReactNode;
  /** True for artists, whose pictures are round. */
  round?: boolean;
  /** A muted line below the name. */
  subtitle?: string | null;
  by?: ReactNode;
  facts: ReactNode[];
  actions: ReactNode;
  /** Attributes that mark the cover for the context menu of its item. */
  mark?: object;
}

/** The head of an item's page: cover, name, facts and actions. */
export function Hero({ kind, name, cover, picture, round = false, subtitle, by, facts, actions, mark }: HeroProps) {
  return (
    <header className={styles.hero} {...mark}>
      {picture ? (
        <div className={classNames(styles.cover, round && styles.round)}>{picture}</div>
      ) : (
        <Cover
          src={cover}
          alt=""
          {...(round ? { name } : {})}
          className={classNames(styles.cover, round && styles.round)}
          eager
        />
      )}
      <div>
        <p className={styles.kind}>{kind}</p>
        <h1 className={styles.name}>{name}</h1>
        {subtitle && <p className={styles.subtitle}>{subtitle}</p>}
        {by && <p className={styles.by}>{by}</p>}
        <div className={styles.facts}>
          {facts.filter(Boolean).map((fact, i) => (
            <span key={i}>{fact}</span>
          ))}
        </div>
        <div className={styles.actions}>{actions}</div>
      </div>
    </header>
  );
}

interface HeroPageProps {
  accent: CSSProperties;
  /** True if the head of the page is beside its first part on very wide screens. */
  isSplit?: boolean;
  children: ReactNode;
}

export function HeroPage({ accent, isSplit, children }: HeroPageProps) {
  return (
    <div className={styles.page} style={accent} data-split={isSplit || undefined}>
      <div className={styles.wash} />
      {children}
    </div>
  );
}

export function HeroSkeleton({ round = false }: { round?: boolean }) {
  return (
    <div className={styles.page}>
      <div className={styles.hero}>
        <div
          className={classNames(styles.cover, round && styles.round)}
          style={{ aspectRatio: '1', boxShadow: 'none' }}
        >
          <Skeleton height="100%" {...(round ? { radius: '50%' } : { radius: '10px' })} />
        </div>
        <div>
          <Skeleton width="64px" height="16px" />
          <div style={{ padding: '8px 0' }}>
            <Skeleton width="60%" height="40px" />
          </div>
          <Skeleton width="40%" />
        </div>
      </div>
      {Array.from({ length: 8 }, (_, i) => (
        <div key={i} style={{ padding: '12px 0' }}>
          <Skeleton height="24px" />
        </div>
      ))}
    </div>
  );
}

export const heroFoot = styles.foot;
