// An image in a fixed square, so that the layout does not move while the image loads or if there is none. Stateless,
// because lists scroll hundreds of covers: the load state is an attribute of the image, and CSS does the rest.
import type { SyntheticEvent } from 'react';
import { classNames } from './class-names.ts';
import { DiscIcon } from './theme/css-icons.tsx';
import styles from './cover.module.css';

interface CoverProps {
  /** Null if there is no image. */
  src: string | null;
  /** Empty if a caption beside the cover contains the same text. */
  alt: string;
  /** The name of an artist, whose cover is round and contains initials if there is no image. */
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

/** Stops loading an image that has scrolled out of view, so that the next images need not wait. */
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
