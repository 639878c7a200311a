// A picture with a fixed square place: the layout stays still while it loads and when there is none. It has no state,
// because lists fly by with hundreds of them: whether it loaded is said on the picture itself, and CSS does the rest.
import type { SyntheticEvent } from 'react';
import { classNames } from './class-names.ts';
import { DiscIcon } from './css-icons.tsx';
import styles from './cover.module.css';

interface CoverProps {
  /** Null when there is no picture. */
  src: string | null;
  /** Empty where a caption beside it says the same. */
  alt: string;
  /** An artist: round, with initials when there is no picture. */
  name?: string;
  className?: string | undefined;
  eager?: boolean;
}

export function Cover({ src, alt, name, className, eager = false }: CoverProps) {
  return (
    <div className={classNames(styles.cover, name !== undefined && styles.round, className)} data-cover>
      {src !== null && (
        <img
          key={src}
          ref={letGo}
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          fetchPriority={eager ? 'auto' : 'low'}
          decoding="async"
          draggable={false}
          onLoad={markLoaded}
          onError={markBroken}
        />
      )}
      {name ? (
        <span className={styles.initials} data-initials={initialsOf(name)} />
      ) : (
        <DiscIcon className={styles.blank} />
      )}
    </div>
  );
}

const markLoaded = ({ currentTarget }: SyntheticEvent<HTMLImageElement>) => {
  currentTarget.dataset['loaded'] = '';
};
const markBroken = ({ currentTarget }: SyntheticEvent<HTMLImageElement>) => {
  currentTarget.dataset['broken'] = '';
};

/** A picture that has scrolled by is not loaded to the end: what comes next waits for the line. */
const letGo = (img: HTMLImageElement | null) => () => {
  if (img && !img.complete) img.removeAttribute('src');
};

const initialsOf = (name: string) =>
  name
    .replace(/^the /i, '')
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
