// The two answers to what is typed: the library's in a moment, those of catalogues somewhere else when they come.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { remoteSearchQuery, useHasCatalogue } from '../../api/remote.ts';
import { librarySearchQuery } from '../../api/search.ts';
import { toGroups, type HitGroup } from './hits.ts';

const TYPING_PAUSE_MS = 60;
/** Others are asked when the typing is over, and not about single letters. */
const REMOTE_PAUSE_MS = 400;
const REMOTE_FROM_LENGTH = 2;

export interface Found {
  /** What the groups are of; behind the typing by a moment. */
  q: string;
  groups: HitGroup[];
  error: Error | null;
  /** Catalogues are still being asked. */
  isAsking: boolean;
  /** Nothing is anywhere. */
  isNothing: boolean;
}

export function useSearch(text: string): Found {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  const [settled] = useDebouncedValue(typed, REMOTE_PAUSE_MS);
  const hasCatalogue = useHasCatalogue();
  const wantsRemote = hasCatalogue && q.length >= REMOTE_FROM_LENGTH;
  const library = useQuery(librarySearchQuery(q));
  // A catalogue that fails is told of in Discover; who looks for a track of the library need not know.
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
