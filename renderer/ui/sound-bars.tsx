import styles from './sound-bars.module.css';

/** Three bars that move while something plays. */
export function SoundBars({ moving }: { moving: boolean }) {
  return (
    <span className={styles.bars} data-moving={moving || undefined} aria-hidden>
      <i />
      <i />
      <i />
    </span>
  );
}
