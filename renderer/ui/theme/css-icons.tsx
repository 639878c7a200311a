// Icons that lists display by the hundred: each is one element painted by CSS, while the icon set takes up to five SVG
// elements.
import type { CSSProperties } from 'react';
import { classNames } from '../class-names.ts';
import styles from './css-icons.module.css';

interface DrawnIconProps {
  size?: number | string;
}

const scaled = (size: number | string = 24): CSSProperties => ({ scale: String(Number(size) / 24) });

/** A disc icon, sized by its class. */
export const DiscIcon = ({ className }: { className?: string | undefined }) => (
  <span className={classNames(styles.disc, className)} aria-hidden />
);
export const PlayIcon = ({ size }: DrawnIconProps) => <span className={styles.play} style={scaled(size)} aria-hidden />;
export const DotsIcon = ({ size }: DrawnIconProps) => <span className={styles.dots} style={scaled(size)} aria-hidden />;
