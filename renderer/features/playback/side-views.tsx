// Views beside the player. Lyrics and chapters are loaded when they are opened, so that the window opens faster.
import { lazy, Suspense } from 'react';

const LoadedLyrics = lazy(async () => ({ default: (await import('./lyrics-view.tsx')).LyricsView }));
const LoadedChapters = lazy(async () => ({ default: (await import('./chapters-view.tsx')).ChaptersView }));

export type SideView = 'queue' | 'lyrics' | 'chapters';

export const VIEW_TITLES = {
  queue: 'queue.queue',
  lyrics: 'playback.lyrics',
  chapters: 'playback.chapters',
} as const satisfies Record<SideView, string>;

export const LyricsView = () => (
  <Suspense fallback={null}>
    <LoadedLyrics />
  </Suspense>
);

export const ChaptersView = () => (
  <Suspense fallback={null}>
    <LoadedChapters />
  </Suspense>
);
