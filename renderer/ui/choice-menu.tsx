import { Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import styles from './pill.module.css';
import { RadioItems } from './radio-items.tsx';

interface ChoiceMenuProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of several, such as the order of a list. */
export function ChoiceMenu<T extends string>({ label, value, options, onChange }: ChoiceMenuProps<T>) {
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className={styles.pill} aria-label={`${label}: ${chosen}`}>
          {chosen}
          <IconChevronDown size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        <RadioItems value={value} options={options} onChange={onChange} />
      </Menu.Dropdown>
    </Menu>
  );
}
