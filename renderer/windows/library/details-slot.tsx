import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useOpenDetails } from '../../ui/use-details.ts';

const DetailsDrawer = lazy(async () => ({
  default: (await import('../../features/details/details-drawer.tsx')).DetailsDrawer,
}));

/** The details of the track in the URL. */
export function DetailsSlot() {
  const { details, edit } = useSearch({ from: '/app' });
  const open = useOpenDetails();
  if (details === undefined) return null;
  return (
    <Suspense>
      <DetailsDrawer
        trackId={details}
        editing={edit ?? false}
        onEdit={(isEditing) => open(details, { edit: isEditing })}
        onClose={() => open(null)}
      />
    </Suspense>
  );
}
