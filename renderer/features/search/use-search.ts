// Results of the library at once, and of online sources when they arrive.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { remoteSearchQuery, useHasCatalogue } from '../../api/remote.ts';
import { librarySearchQuery } from '../../api/library.ts';
import { toGroups, type HitGroup } from './hits.ts';

const TYPING_PAUSE_MS = 60;
/** Online sources are queried after a pause, and not for single letters. */
const REMOTE_PAUSE_MS = 400;
const REMOTE_FROM_LENGTH = 2;

export interface Found {
  /** The query the results belong to; a moment behind the input. */
  q: string;
  groups: HitGroup[];
  error: Error | null;
  /** Online sources are still being queried. */
  isAsking: boolean;
  /** No results anywhere. */
  isNothing: boolean;
}

export function useSearch(text: string): Found {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  const [settled] = useDebouncedValue(typed, REMOTE_PAUSE_MS);
  const hasCatalogue = useHasCatalogue();
  const wantsRemote = hasCatalogue && q.length >= REMOTE_FROM_LENGTH;
  const library = useQuery(librarySearchQuery(q));
  // Discover reports a failing source; the palette does not.
  const remote = useQuery({ ...remoteSearchQuery(settled), enabled: wantsRemote && settled === q, retry: false });
  const isRemoteOf = wantsRemote && settled === q && !remote.isPlaceholderData;
  const groups = q === '' ? [] : toGroups(library.data, isRemoteOf ? (remote.data?.items ?? []) : []);
  const isAsking = wantsRemote && !remote.error && !(isRemoteOf && remote.data);
  return {
    q,
    groups,
    error: library.data ? null : library.error,
    isAsking,
    isNothing: q !== '' && library.data !== undefined && !library.isPlaceholderData && !isAsking && groups.length === 0,
  };
}
