import { Suspense } from 'react';
import { optionalPart } from '../../api/optional-part.ts';

const Offers = optionalPart(async () => (await import('./offers.tsx')).Offers);

/** Offers the music of other devices. It is loaded after the window has opened. */
export const QueueOffer = () => (
  <Suspense fallback={null}>
    <Offers />
  </Suspense>
);
