// Client of the Cover Art Archive. The archive redirects to the storage of the Internet Archive, which is slow and
// sometimes down. Whether the returned bytes are a picture is not checked here.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Log } from '../log/log.ts';
import { createBreaker } from '../outbound/breaker.ts';
import { guardedFetch, type GuardedAnswer } from '../outbound/guarded-fetch.ts';
import { OutboundError, type OutboundErrorKind } from '../outbound/outbound-error.ts';
import { createTokenBucket } from '../outbound/token-bucket.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { trimEnd } from '../runtime/trim-text.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';

/** Sizes of front covers, in the order in which they are requested: old uploads lack the larger size. */
const FRONT_SIZES = ['1200', '500'] as const;
/** Maximum number of pictures in a list; a release may have a hundred scans. */
const MAX_LISTED_IMAGES = 40;
const MAX_RESPONSE_BYTES = 10e6;
/** A failed request is repeated, because the archive's storage fails at times. */
const MAX_ATTEMPTS = 2;
/** After this many failures in a row, requests stop for a while. Two albums have so many failures. */
const MAX_FAILURES = 4;
const MAX_PAUSE_MS = 60_000;

/** Requests per second, time limit of a request, and the pause after the archive has answered that it is busy. */
const DEFAULT_PACE = { perSecond: 2, timeoutMs: 30_000, busyPauseMs: 5_000 };
export type ArchivePace = typeof DEFAULT_PACE;

export type ArchiveAnswer =
  | { result: 'picture'; bytes: Buffer }
  | { result: 'none' }
  /** `unusable` stays the same for weeks; `failed` may be temporary. */
  | { result: 'unusable' | 'failed'; reason: string }
  /** No request was sent, because the last requests failed. */
  | { result: 'paused' };

interface CoverArchiveDeps {
  settings: LiveSettings;
  version: string;
  log: Log;
  now: () => Date;
  /** The rate and time limits of requests; tests use faster ones. */
  pace?: Partial<ArchivePace>;
}

interface ArchiveImage {
  release: string;
  id: string;
  /** What the picture shows, such as `Front`, `Back`, `Booklet`; may be empty. */
  types: string[];
}
type ArchiveList = { result: 'images'; images: ArchiveImage[] } | Exclude<ArchiveAnswer, { result: 'picture' }>;

const Listing = z.object({
  release: z.string(),
  images: z.array(z.object({ id: z.union([z.string(), z.number()]), types: z.array(z.string()).default([]) })),
});

/** Errors that may be temporary. Others, such as a redirect to a forbidden address, are permanent. */
const TEMPORARY_ERRORS = new Set<OutboundErrorKind>(['timeout', 'refused', 'network']);

export type CoverArchive = ReturnType<typeof createCoverArchive>;

export function createCoverArchive({ settings, version, log, now, pace = {} }: CoverArchiveDeps) {
  const { perSecond, timeoutMs, busyPauseMs } = { ...DEFAULT_PACE, ...pace };
  const bucket = createTokenBucket({ perSecond });
  const breaker = createBreaker({ failures: MAX_FAILURES, now: () => now().getTime() });

  /** Sends a request when the rate limit allows it. Returns undefined while the circuit breaker is open. */
  async function sendRequest(path: string, signal: AbortSignal | undefined): Promise<ArchiveResponse | undefined> {
    if (!breaker.mayAsk()) return undefined;
    const base = new URL(settings.get('COVERART_BASE_URL'));
    return bucket.run(async () => {
      if (!breaker.enter()) return undefined; // the circuit breaker may have opened while this request waited
      try {
        const answer = await fetchAnswer(new URL(`${trimEnd(base.href, /\//)}${path}`), base, signal);
        recordOutcome(answer);
        return answer;
      } catch (error) {
        breaker.noteAbandoned();
        throw error;
      }
    }, signal);
  }

  async function fetchAnswer(url: URL, base: URL, signal: AbortSignal | undefined): Promise<ArchiveResponse> {
    try {
      return toAnswer(
        await guardedFetch(url, {
          base,
          timeoutMs,
          maxBytes: MAX_RESPONSE_BYTES,
          signal,
          headers: { 'user-agent': userAgentOf(version, settings.get('CONTACT')), accept: '*/*' },
        }),
      );
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { result: TEMPORARY_ERRORS.has(error.kind) ? 'failed' : 'unusable', reason: error.message };
    }
  }

  function recordOutcome(answer: ArchiveResponse): void {
    if (answer.result !== 'failed') return breaker.noteSuccess();
    if (answer.isBusy) bucket.pause(Math.min(MAX_PAUSE_MS, Math.max(busyPauseMs, answer.retryAfterMs ?? 0)));
    breaker.noteFailure();
    if (!breaker.mayAsk()) log.warn({ reason: answer.reason }, 'cover archive paused after failures');
  }

  async function sendWithRetry(path: string, signal: AbortSignal | undefined): Promise<ArchiveAnswer> {
    let answer: ArchiveResponse | undefined;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const newAnswer = await sendRequest(path, signal);
      if (!newAnswer) break;
      answer = newAnswer;
      if (answer.result !== 'failed') break;
    }
    return answer ?? { result: 'paused' };
  }

  async function findFirstSize(
    sizes: readonly string[],
    pathOf: (size: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<ArchiveAnswer> {
    for (const size of sizes) {
      const answer = await sendWithRetry(pathOf(size), signal);
      if (answer.result !== 'none') return answer;
    }
    return { result: 'none' };
  }

  return {
    isEnabled: (): boolean => settings.get('COVERART_ENABLED'),
    /** Closes the circuit breaker. To be called after a change of the address or of COVERART_ENABLED. */
    reset: breaker.reset,
    /** Downloads the front cover of a release group. Throws the reason of `signal`. */
    async findFront(releaseGroupMbid: string, signal?: AbortSignal): Promise<ArchiveAnswer> {
      if (!isMbid(releaseGroupMbid)) return { result: 'none' };
      return findFirstSize(
        FRONT_SIZES,
        (size) => `/release-group/${releaseGroupMbid.toLowerCase()}/front-${size}`,
        signal,
      );
    },
    /** Lists all pictures of a release group, the front first. Throws the reason of `signal`. */
    async listImages(releaseGroupMbid: string, signal?: AbortSignal): Promise<ArchiveList> {
      if (!isMbid(releaseGroupMbid)) return { result: 'none' };
      const answer = await sendWithRetry(`/release-group/${releaseGroupMbid.toLowerCase()}`, signal);
      if (answer.result !== 'picture') return answer;
      const images = imagesIn(answer.bytes);
      return images ? { result: 'images', images } : { result: 'unusable', reason: 'its list could not be read' };
    },
    /** Downloads one of the listed pictures; with `isSmall` in a size for display. Throws the reason of `signal`. */
    findImage: (
      { release, id }: Pick<ArchiveImage, 'release' | 'id'>,
      isSmall: boolean,
      signal?: AbortSignal,
    ): Promise<ArchiveAnswer> =>
      findFirstSize(isSmall ? ['500'] : FRONT_SIZES, (size) => `/release/${release}/${id}-${size}`, signal),
  };
}

type ArchiveResponse = Exclude<ArchiveAnswer, { result: 'paused' }> & { isBusy?: true; retryAfterMs?: number };

const isMbid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Returns the pictures in a response; undefined if the bytes are no list of pictures. */
function imagesIn(bytes: Buffer): ArchiveImage[] | undefined {
  let value: unknown;
  try {
    value = parseLimitedJson(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  const { data } = Listing.safeParse(value);
  const release = data?.release.slice(-36).toLowerCase();
  if (!data || release === undefined || !isMbid(release)) return undefined;
  return data.images
    .flatMap(({ id, types }) => (/^\d{1,20}$/.test(String(id)) ? [{ release, id: String(id), types }] : []))
    .toSorted((a, b) => Number(b.types.includes('Front')) - Number(a.types.includes('Front')))
    .slice(0, MAX_LISTED_IMAGES);
}

/**
 * Returns the result of a response. 404 and 400 (not a valid mbid) mean that there is no picture; other errors mostly
 * come from the storage.
 */
function toAnswer({ status, headers, bytes, url }: GuardedAnswer): ArchiveResponse {
  if (status === 200)
    return { result: 'picture', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  if (status === 404 || status === 400) return { result: 'none' };
  const reason = `${url.host} answered ${status}`;
  if (status !== 429 && status !== 503) return { result: 'failed', reason };
  return { result: 'failed', reason, isBusy: true, retryAfterMs: Number(headers.get('retry-after') ?? 0) * 1_000 || 0 };
}
