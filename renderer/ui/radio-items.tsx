import { Menu } from '@mantine/core';

interface RadioItemsProps<T extends string> {
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of several, inside a menu. */
export function RadioItems<T extends string>({ value, options, onChange }: RadioItemsProps<T>) {
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
