// Searches the library and the window at once, and displays results of online sources when they arrive.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { remoteSearchQuery, useHasCatalogue } from '../../api/remote.ts';
import { folderSearchQuery, genresQuery, librarySearchQuery, lyricsSearchQuery } from '../../api/library.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { findNames } from '../../ui/comparable.ts';
import { findByWords } from '../../ui/find-by-words.ts';
import { useSettingCommands, useWindowCommands } from './commands.ts';
import { toGroups, type HitGroup } from './hits.ts';

const TYPING_PAUSE_MS = 60;
/** Online sources are queried after a pause, and not for single letters. */
const REMOTE_PAUSE_MS = 400;
const MIN_REMOTE_LETTERS = 2;
/** Lyrics are searched for longer texts: a few letters are in nearly all of them. */
const MIN_LYRICS_LETTERS = 3;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

interface SearchState {
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

export function useSearch(text: string, limits: typeof PALETTE): SearchState {
  const typedQuery = text.trim();
  const [q] = useDebouncedValue(typedQuery, TYPING_PAUSE_MS);
  const [settledQuery] = useDebouncedValue(typedQuery, REMOTE_PAUSE_MS);
  const hasCatalogue = useHasCatalogue();
  const wantsRemote = hasCatalogue && q.length >= MIN_REMOTE_LETTERS;
  const library = useQuery(librarySearchQuery(q, limits.library));
  const folders = useQuery(folderSearchQuery(q, limits.each));
  const wantsLyrics = q.length >= MIN_LYRICS_LETTERS || CJK.test(q);
  const lyrics = useQuery({ ...lyricsSearchQuery(q, limits.each), enabled: wantsLyrics });
  const playlists = useQuery(playlistsQuery());
  const genres = useQuery(genresQuery());
  const commands = useWindowCommands();
  const settings = useSettingCommands();
  // Discover reports a failing source; the palette does not.
  const remote = useQuery({
    ...remoteSearchQuery(settledQuery),
    enabled: wantsRemote && settledQuery === q,
    retry: false,
  });
  const isRemoteOf = wantsRemote && settledQuery === q && !remote.isPlaceholderData;
  const findByName = <T>(items: readonly T[] | undefined, nameOf: (item: T) => string) =>
    findNames(items ?? [], nameOf, q);
  const groups =
    q === ''
      ? []
      : toGroups(
          q,
          {
            library: library.data,
            playlists: findByName(playlists.data, ({ name }) => name),
            genres: findByName(genres.data, ({ name }) => name),
            folders: folders.data,
            lyrics: wantsLyrics ? lyrics.data : undefined,
            commands: findByWords(commands, q),
            settings: findByWords(settings, q),
            remote: isRemoteOf ? (remote.data?.items ?? []) : [],
          },
          limits,
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
      !lyrics.isFetching &&
      !isAsking &&
      groups.length === 0,
  };
}
