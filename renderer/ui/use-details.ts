// The details of a track open beside any page, and are part of its URL: `?details=7`. The library window shows them.
import { useNavigate } from '@tanstack/react-router';
import { createContext, useCallback, useContext } from 'react';

export type OpenDetails = (trackId: number | null, options?: { edit?: boolean }) => void;

/** Null in windows that show no details: menus leave the item out. */
export const DetailsContext = createContext<OpenDetails | null>(null);
export const useDetailsContext = (): OpenDetails | null => useContext(DetailsContext);

/** Opens them, for reading or editing, or closes them with null. */
export function useOpenDetails(): OpenDetails {
  const navigate = useNavigate();
  return useCallback(
    (trackId, { edit = false } = {}) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({
          ...before,
          details: trackId ?? undefined,
          edit: (trackId !== null && edit) || undefined,
        }),
        replace: trackId === null || new URLSearchParams(location.search).has('details'),
        resetScroll: false,
      }),
    [navigate],
  );
}

/** The track of the focused row: rows have `data-track`, on themselves or on an element inside. */
export function focusedTrack(): number | null {
  const focused = document.activeElement;
  const mark =
    focused?.closest('[data-track]') ?? focused?.closest('li, article, [role="row"]')?.querySelector('[data-track]');
  const id = Number(mark?.getAttribute('data-track'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
