import { useRef } from 'react';

/**
 * The value, or what it was last while there is none. In a list that flies by a row keeps what it drew, unseen, until
 * it becomes the next one: other texts and pictures in the same elements cost a fraction of new elements.
 */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}
