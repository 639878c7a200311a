import { lazy, Suspense } from 'react';

const Loaded = lazy(async () => ({ default: (await import('./lyrics-view.tsx')).LyricsView }));

/** Lyrics, loaded when they are opened: a window is there sooner without. */
export const LyricsView = () => (
  <Suspense fallback={null}>
    <Loaded />
  </Suspense>
);
