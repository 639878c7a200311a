// Subscriptions: a module notifies listeners of other modules without depending on those modules.

/** Creates a list of listeners, which are called in the order in which they were added. */
export function createListeners<Args extends unknown[]>() {
  const listeners: ((...args: Args) => void)[] = [];
  return {
    add: (listener: (...args: Args) => void): void => void listeners.push(listener),
    notify: (...args: Args): void => {
      for (const listener of listeners) listener(...args);
    },
  };
}
