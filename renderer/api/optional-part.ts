// Parts of a window that are loaded after it has opened, and without which the rest works.
import { lazy, type ComponentType } from 'react';
import { waitForServer } from './client.ts';

/** Loads code. If that fails, loads it once more when the server answers; throws if that fails, too. */
export const loadWhenReachable = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch(async () => {
    await waitForServer();
    return load();
  });

/** Returns a lazy component. If its code cannot be loaded, it displays nothing, and the error is reported. */
export const optionalPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({
    default: await loadWhenReachable(load).catch((error: unknown): ComponentType<P> => {
      reportError(error);
      return () => null;
    }),
  }));
