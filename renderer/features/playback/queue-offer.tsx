import { lazy, Suspense } from 'react';

const Offers = lazy(async () => ({ default: (await import('./offers.tsx')).Offers }));

/** Offers the music of other devices. It is loaded after the window has opened. */
export const QueueOffer = () => (
  <Suspense fallback={null}>
    <Offers />
  </Suspense>
);
