// Client of MusicBrainz, for what AcoustID lacks (genres, the year of the first release, titles) and for other modules:
// MusicBrainz allows one request per second for all of them together. Responses are cached, because the tracks of an
// album share its release group.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Breaker } from '../outbound/breaker.ts';
import type { TokenBucket, Wait } from '../outbound/token-bucket.ts';
import { mbid } from './acoustid-wire.ts';
import { createServiceClient, ServiceError } from '../outbound/service-client.ts';

interface MusicBrainzDeps {
  settings: LiveSettings;
  userAgent: () => string;
  bucket: TokenBucket;
  breaker: Breaker;
  wait: Wait;
  now: () => Date;
  /**
   * Aborted when the server stops. A single caller cannot abort a request, because other callers may be waiting for it.
   */
  lifetime: AbortSignal;
}

export type MusicBrainz = ReturnType<typeof createMusicBrainz>;

const NAME = 'MusicBrainz';
const MAX_ANSWER_AGE_MS = 24 * 3_600_000;
const MAX_CACHED_ANSWERS = 2_000;
const MAX_GENRES = 5;

export const text = z.string().trim().min(1).max(2_000).nullish().catch(undefined);
export const items = <T extends z.ZodType>(item: T) =>
  z
    .array(item.nullish().catch(undefined))
    .max(500)
    .nullish()
    .catch(undefined)
    .transform((values) => (values ?? []).filter((value) => value != null));
const count = z.int().min(1).max(9_999).nullish().catch(undefined);
const id = mbid.nullish().catch(undefined);

export const Genres = items(z.object({ name: z.string().trim().min(1).max(200), count: z.number().catch(0) }));
export const Credit = items(
  z.object({
    name: z.string().trim().min(1).max(2_000),
    joinphrase: z.string().max(100).nullish().catch(undefined),
    artist: z.object({ id }).nullish().catch(undefined),
  }),
);
const ReleaseGroup = z.object({
  id,
  title: text,
  'primary-type': text,
  'secondary-types': items(z.string()),
  'first-release-date': text,
  genres: Genres,
});
const Release = z.object({
  id,
  title: text,
  status: text,
  date: text,
  'release-group': ReleaseGroup.nullish().catch(undefined),
  media: items(
    z.object({ position: count, 'track-count': count, tracks: items(z.object({ position: count, title: text })) }),
  ),
});
const Recording = z.object({
  id: mbid,
  title: text,
  length: z.number().positive().nullish().catch(undefined),
  'first-release-date': text,
  genres: Genres,
  'artist-credit': Credit,
  releases: items(Release),
});

export type KnownRecording = z.output<typeof Recording>;
type KnownReleaseGroup = z.output<typeof ReleaseGroup>;

export function createMusicBrainz({ settings, userAgent, bucket, breaker, wait, now, lifetime }: MusicBrainzDeps) {
  const request = createServiceClient({
    name: NAME,
    baseUrl: () => settings.get('MUSICBRAINZ_BASE_URL'),
    userAgent,
    bucket,
    breaker,
    wait,
  });
  const answers = new Map<string, { answer: Promise<unknown>; expiresAtMs: number }>();

  async function fetchAnswer<T extends z.ZodType>(path: string, shape: T): Promise<z.output<T> | undefined> {
    const { status, body } = await request({ path }, lifetime);
    if (status === 404 || status === 400) return undefined;
    const parsed = status === 200 ? shape.safeParse(body) : undefined;
    if (!parsed?.success) throw new ServiceError('unreachable', `${NAME} sent an invalid answer (${status}).`);
    return parsed.data;
  }

  /** Returns the response at a path. Concurrent calls share a request; errors are not cached. */
  function fetchCached<T extends z.ZodType>(path: string, shape: T): Promise<z.output<T> | undefined> {
    const time = now().getTime();
    const cachedAnswer = answers.get(path);
    if (cachedAnswer && cachedAnswer.expiresAtMs > time) return cachedAnswer.answer as Promise<z.output<T> | undefined>;
    const answer = fetchAnswer(path, shape);
    answers.delete(path);
    answers.set(path, { answer, expiresAtMs: time + MAX_ANSWER_AGE_MS });
    if (answers.size > MAX_CACHED_ANSWERS) answers.delete(answers.keys().next().value as string);
    answer.catch(() => {
      if (answers.get(path)?.answer === answer) answers.delete(path);
    });
    return answer;
  }

  return {
    isEnabled: (): boolean => settings.get('MUSICBRAINZ_ENABLED'),
    /** Returns the response at any path; undefined for the statuses 404 and 400. */
    find: <T extends z.ZodType>(path: string, shape: T, signal: AbortSignal): Promise<z.output<T> | undefined> =>
      unlessAborted(fetchCached(path, shape), signal),
    /**
     * Returns a recording; undefined for an unknown id. Like the other methods, throws a ServiceError or the reason of
     * `signal`.
     */
    findRecording: (id: string, signal: AbortSignal): Promise<KnownRecording | undefined> =>
      unlessAborted(
        fetchCached(
          `/ws/2/recording/${encodeURIComponent(id)}?fmt=json&inc=artist-credits+releases+release-groups+media+genres`,
          Recording,
        ),
        signal,
      ),
    findReleaseGroup: (id: string, signal: AbortSignal): Promise<KnownReleaseGroup | undefined> =>
      unlessAborted(
        fetchCached(`/ws/2/release-group/${encodeURIComponent(id)}?fmt=json&inc=genres`, ReleaseGroup),
        signal,
      ),
  };
}

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** Returns the year of a date: 2009 for `2009-05-01`, `2009-05` and `2009`. */
export const yearOf = (date: string | null | undefined): number | undefined =>
  Number(/^\d{4}/.exec(date ?? '')?.[0]) || undefined;

/** Returns at most MAX_GENRES names, those with most votes first. */
export const genreNames = (genres: readonly { name: string; count: number }[]): string[] =>
  genres
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_GENRES)
    .map(({ name }) => name);
