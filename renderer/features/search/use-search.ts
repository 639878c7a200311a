// Searches the library and the window at once, and displays results of online sources when they arrive.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { remoteSearchQuery, useHasCatalogue } from '../../api/remote.ts';
import { folderSearchQuery, genresQuery, librarySearchQuery } from '../../api/library.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { findNames } from '../../ui/comparable.ts';
import { useSettingCommands, useWindowCommands } from './commands.ts';
import { toGroups, type HitGroup } from './hits.ts';

const TYPING_PAUSE_MS = 60;
/** Online sources are queried after a pause, and not for single letters. */
const REMOTE_PAUSE_MS = 400;
const MIN_REMOTE_LETTERS = 2;

interface Found {
  /** The query that the results belong to; it lags a little behind the input. */
  q: string;
  groups: HitGroup[];
  error: Error | null;
  /** Whether online sources are still being queried. */
  isAsking: boolean;
  /** Whether no results have arrived yet. */
  isLoading: boolean;
  /** Whether no source has results. */
  isNothing: boolean;
}

/** Maximum number of results per kind, in the palette and on the page. */
export const PALETTE = { library: 6, each: 4, remote: 6 };
export const PAGE = { library: 24, each: 200, remote: 24 };

export function useSearch(text: string, most: typeof PALETTE): Found {
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  const [settled] = useDebouncedValue(typed, REMOTE_PAUSE_MS);
  const hasCatalogue = useHasCatalogue();
  const wantsRemote = hasCatalogue && q.length >= MIN_REMOTE_LETTERS;
  const library = useQuery(librarySearchQuery(q, most.library));
  const folders = useQuery(folderSearchQuery(q, most.each));
  const playlists = useQuery(playlistsQuery());
  const genres = useQuery(genresQuery());
  const commands = useWindowCommands();
  const settings = useSettingCommands();
  // Discover reports a failing source; the palette does not.
  const remote = useQuery({ ...remoteSearchQuery(settled), enabled: wantsRemote && settled === q, retry: false });
  const isRemoteOf = wantsRemote && settled === q && !remote.isPlaceholderData;
  const named = <T>(items: readonly T[] | undefined, nameOf: (item: T) => string) => findNames(items ?? [], nameOf, q);
  const groups =
    q === ''
      ? []
      : toGroups(
          q,
          {
            library: library.data,
            playlists: named(playlists.data, ({ name }) => name),
            genres: named(genres.data, ({ name }) => name),
            folders: folders.data,
            commands: named(commands, ({ name }) => name),
            settings: named(settings, ({ name }) => name),
            remote: isRemoteOf ? (remote.data?.items ?? []) : [],
          },
          most,
        );
  const isAsking = wantsRemote && !remote.error && !(isRemoteOf && remote.data);
  return {
    q,
    groups,
    error: library.data ? null : library.error,
    isAsking,
    isLoading: q !== '' && library.data === undefined && !library.error,
    isNothing:
      q !== '' &&
      library.data !== undefined &&
      !library.isPlaceholderData &&
      !folders.isFetching &&
      !isAsking &&
      groups.length === 0,
  };
}
