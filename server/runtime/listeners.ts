// A subscription: whoever has to hear of something asks for it, and the module that tells knows none of them.

/** Listeners are called in the order they came. */
export function createListeners<Heard extends unknown[]>() {
  const all: ((...heard: Heard) => void)[] = [];
  return {
    add: (listener: (...heard: Heard) => void): void => void all.push(listener),
    tell: (...heard: Heard): void => {
      for (const listener of all) listener(...heard);
    },
  };
}
