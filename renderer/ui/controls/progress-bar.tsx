import styles from './progress-bar.module.css';

/** A progress bar, indeterminate without a total. */
export function ProgressBar({ done, total, label }: { done: number; total: number | null; label: string }) {
  const fraction = total ? Math.min(1, done / total) : null;
  return (
    <span
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(fraction === null ? {} : { 'aria-valuenow': Math.round(fraction * 100) })}
    >
      <span
        data-unknown={fraction === null || undefined}
        style={fraction === null ? {} : { transform: `scaleX(${fraction})` }}
      />
    </span>
  );
}
