// Opens the details of a track beside any page; they are part of the page's URL: `?details=7`. The library window
// displays them.
import { useNavigate } from '@tanstack/react-router';
import { createContext, useCallback, useContext } from 'react';

export type OpenDetails = (trackId: number | null, options?: { edit?: boolean }) => void;

/** Null in windows without details, whose menus omit the action. */
export const DetailsContext = createContext<OpenDetails | null>(null);
export const useDetailsContext = (): OpenDetails | null => useContext(DetailsContext);

/** Returns a function that opens the details, for reading or editing, or closes them with null. */
export function useOpenDetails(): OpenDetails {
  const navigate = useNavigate();
  return useCallback(
    (trackId, { edit = false } = {}) =>
      void navigate({
        to: '.',
        search: (previousSearch: Record<string, unknown>) => ({
          ...previousSearch,
          details: trackId ?? undefined,
          edit: (trackId !== null && edit) || undefined,
        }),
        replace: trackId === null || new URLSearchParams(location.search).has('details'),
        resetScroll: false,
      }),
    [navigate],
  );
}
