// Client of LRCLIB (https://lrclib.net/docs) and of other services with the same API.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Breaker } from '../outbound/breaker.ts';
import { createServiceClient, ServiceError } from '../outbound/service-client.ts';
import type { TokenBucket, Wait } from '../outbound/token-bucket.ts';
import { askedArtist, askedTitle, type OfferedLyrics, type WantedSong } from './match.ts';

const NAME = 'LRCLIB';
const MAX_TEXT_CHARACTERS = 256 << 10;

const text = z.string().max(2_000);
const body = z.string().max(MAX_TEXT_CHARACTERS).nullish().catch(undefined);
const Entry = z
  .object({
    id: z.int(),
    trackName: text.optional(),
    name: text.optional(),
    artistName: text,
    albumName: text.nullish().catch(undefined),
    duration: z.number().positive().nullish().catch(undefined),
    instrumental: z.boolean().catch(false),
    plainLyrics: body,
    syncedLyrics: body,
  })
  .transform((entry): OfferedLyrics => ({
    id: entry.id,
    title: entry.trackName ?? entry.name ?? '',
    artistName: entry.artistName,
    album: entry.albumName ?? null,
    duration: entry.duration ?? null,
    isInstrumental: entry.instrumental,
    plain: entry.plainLyrics?.trim() ? entry.plainLyrics : null,
    synced: entry.syncedLyrics?.trim() ? entry.syncedLyrics : null,
  }));
/** An invalid entry does not affect the others. */
const Entries = z
  .array(Entry.nullable().catch(null))
  .max(1_000)
  .transform((entries) => entries.filter((entry) => entry !== null));

interface LrclibDeps {
  settings: LiveSettings;
  userAgent: () => string;
  bucket: TokenBucket;
  breaker: Breaker;
  wait: Wait;
}

export type Lrclib = ReturnType<typeof createLrclib>;

/** Creates the client. All methods throw a ServiceError or the reason of `signal`. */
export function createLrclib({ settings, userAgent, bucket, breaker, wait }: LrclibDeps) {
  const askService = createServiceClient({
    name: NAME,
    baseUrl: () => settings.get('LYRICS_BASE_URL'),
    userAgent,
    bucket,
    breaker,
    wait,
  });

  async function fetchJson<T extends z.ZodType>(
    path: string,
    shape: T,
    signal: AbortSignal,
  ): Promise<z.output<T> | undefined> {
    const { status, body: answer } = await askService({ path }, signal);
    // 400, 422: the service does not accept this song, for instance because it is longer than an hour
    if ([400, 404, 422].includes(status) && typeof answer === 'object') return undefined;
    const parsedAnswer = status === 200 ? shape.safeParse(answer) : undefined;
    if (!parsedAnswer?.success) throw new ServiceError('unreachable', `${NAME} sent an invalid answer (${status}).`);
    return parsedAnswer.data;
  }

  const search = async (params: Record<string, string>, signal: AbortSignal): Promise<OfferedLyrics[]> =>
    (await fetchJson(`/api/search?${new URLSearchParams(params).toString()}`, Entries, signal)) ?? [];

  return {
    /** Returns the service's lyrics for exactly this song. */
    find: async (song: WantedSong, signal: AbortSignal): Promise<OfferedLyrics | undefined> =>
      fetchJson(
        `/api/get?${new URLSearchParams({
          artist_name: askedArtist(song),
          track_name: song.title,
          ...(song.album !== null && { album_name: song.album }),
          duration: `${Math.round(song.durationMs / 1_000)}`,
        }).toString()}`,
        Entry,
        signal,
      ),

    /** Returns the songs with this title and artist. */
    searchSong: (song: WantedSong, signal: AbortSignal): Promise<OfferedLyrics[]> =>
      search({ track_name: askedTitle(song.title), artist_name: askedArtist(song) }, signal),

    searchText: (query: string, signal: AbortSignal): Promise<OfferedLyrics[]> => search({ q: query }, signal),

    findById: (id: number, signal: AbortSignal): Promise<OfferedLyrics | undefined> =>
      fetchJson(`/api/get/${id}`, Entry, signal),
  };
}
