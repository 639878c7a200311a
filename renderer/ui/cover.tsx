// A picture with a fixed square place: the layout stays still while it loads and when there is none.
import { IconDisc } from '@tabler/icons-react';
import { useState } from 'react';
import { classNames } from './class-names.ts';
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
  const [shown, setShown] = useState<string | null>(null);
  const [broken, setBroken] = useState<string | null>(null);
  const visible = src !== null && broken !== src;
  return (
    <div className={classNames(styles.cover, name !== undefined && styles.round, className)} data-cover>
      {(src === null || shown !== src) && (name ? <span className={styles.initials} data-initials={initialsOf(name)} /> : <IconDisc className={styles.blank} stroke={1.25} aria-hidden />)}
      {visible && (
        <img src={src} alt={alt} loading={eager ? 'eager' : 'lazy'} decoding="async" draggable={false}
          data-shown={shown === src || undefined} onLoad={() => setShown(src)} onError={() => setBroken(src)} />
      )}
    </div>
  );
}

const initialsOf = (name: string) =>
  name.replace(/^the /i, '').split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? '').join('').toUpperCase();
