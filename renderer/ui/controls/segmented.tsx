import { useId } from 'react';
import styles from './segmented.module.css';

interface SegmentedProps<T extends string> {
  label: string;
  /** Null if no option is selected. */
  value: T | null;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** A choice among a few visible options, made of native radio buttons. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  const name = useId();
  return (
    <span role="radiogroup" aria-label={label} className={styles.group}>
      {options.map((option) => (
        <label key={option.value} className={styles.option} data-chosen={option.value === value || undefined}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </span>
  );
}
