import { useRef } from 'react';

/**
 * Returns the value, or the last defined value while it is undefined. While scrolling, a row keeps its rendered
 * content, hidden, until the row is reused: changing texts and images costs a fraction of creating elements.
 */
export function useLast<T>(value: T | undefined): T | undefined {
  const lastValue = useRef(value);
  if (value !== undefined) lastValue.current = value;
  return lastValue.current;
}
