// An image in a fixed square: the layout stays still while it loads and when there is none. Stateless, because lists
// scroll by with hundreds of them: the load state is an attribute of the image, and CSS does the rest.
import type { SyntheticEvent } from 'react';
import { classNames } from './class-names.ts';
import { DiscIcon } from './theme/css-icons.tsx';
import styles from './cover.module.css';

interface CoverProps {
  /** Null for no image. */
  src: string | null;
  /** Empty where a caption beside it says the same. */
  alt: string;
  /** An artist: round, with initials when there is no image. */
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

/** An image that has scrolled past stops loading, so that the next ones need not wait. */
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
