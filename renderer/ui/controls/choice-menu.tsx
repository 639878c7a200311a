import { Menu } from '@mantine/core';
import { IconDown } from '../theme/icons.ts';
import styles from './pill.module.css';

interface ChoicesProps<T extends string> {
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** A button that displays the chosen option, such as the order of a list, and opens a menu of all options. */
export function ChoiceMenu<T extends string>({ label, value, options, onChange }: ChoicesProps<T> & { label: string }) {
  const chosenLabel = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className={styles.pill} aria-label={`${label}: ${chosenLabel}`}>
          {chosenLabel}
          <IconDown size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        <RadioItems value={value} options={options} onChange={onChange} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Radio items for a choice within another menu. */
export function RadioItems<T extends string>({ value, options, onChange }: ChoicesProps<T>) {
  return (
    <Menu.RadioGroup value={value}>
      {options.map((option) => (
        <Menu.RadioItem
          key={option.value}
          value={option.value}
          closeMenuOnClick
          onChange={() => onChange(option.value)}
        >
          {option.label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
