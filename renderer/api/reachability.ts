// Whether the server answers, by the latest request or event stream.

const listeners = new Set<() => void>();
let isAnswering = true;

export const isReachable = (): boolean => isAnswering;

export function noteReachable(isReached: boolean): void {
  if (isReached === isAnswering) return;
  isAnswering = isReached;
  for (const listener of listeners) listener();
}

/** Calls `listener` after each change. Returns the function that unsubscribes. */
export function onReachableChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
