import { useRef } from 'react';

/**
 * The value, or the last one while it is undefined. While scrolling, a row keeps what it rendered, hidden, until it is
 * reused: changing texts and images costs a fraction of creating elements.
 */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}
