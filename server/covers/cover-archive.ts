// Client of the Cover Art Archive. It redirects to the storage of the Internet Archive, which is slow and sometimes
// down. The bytes it returns are not checked to be a picture.
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

/** Old uploads lack the larger size. */
const SIZES = ['1200', '500'] as const;
/** Of a list; a release may have a hundred scans. */
const MAX_LISTED = 40;
const MAX_BYTES = 10e6;
/** Its storage fails at times. */
const TRIES = 2;
/** Failures in a row after which requests stop for a while: those of two albums. */
const FAILURES = 4;
const LONGEST_PAUSE_MS = 60_000;

/** Requests per second, time limit of one, and the pause after an answer that says it is busy. */
const PACE = { perSecond: 2, timeoutMs: 30_000, busyPauseMs: 5_000 };
export type ArchivePace = typeof PACE;

export type ArchiveAnswer =
  | { result: 'picture'; bytes: Buffer }
  | { result: 'none' }
  /** `unusable` will be the same for weeks, `failed` may pass. */
  | { result: 'unusable' | 'failed'; reason: string }
  /** Not asked, because the last requests failed. */
  | { result: 'paused' };

interface CoverArchiveDeps {
  settings: LiveSettings;
  version: string;
  log: Log;
  now: () => Date;
  /** For tests. */
  pace?: Partial<ArchivePace>;
}

interface ArchiveImage {
  release: string;
  id: string;
  /** Such as `Front`, `Back`, `Booklet`; may be none. */
  types: string[];
}
type ArchiveList = { result: 'images'; images: ArchiveImage[] } | Exclude<ArchiveAnswer, { result: 'picture' }>;

const Listing = z.object({
  release: z.string(),
  images: z.array(z.object({ id: z.union([z.string(), z.number()]), types: z.array(z.string()).default([]) })),
});

/** Others, such as a redirect to a forbidden address, are permanent. */
const TEMPORARY = new Set<OutboundErrorKind>(['timeout', 'refused', 'network']);

export type CoverArchive = ReturnType<typeof createCoverArchive>;

export function createCoverArchive({ settings, version, log, now, pace = {} }: CoverArchiveDeps) {
  const { perSecond, timeoutMs, busyPauseMs } = { ...PACE, ...pace };
  const bucket = createTokenBucket({ perSecond });
  const breaker = createBreaker({ failures: FAILURES, now: () => now().getTime() });

  /** One request in its turn; undefined while the breaker is open. */
  async function ask(path: string, signal: AbortSignal | undefined): Promise<Answer | undefined> {
    if (!breaker.mayAsk()) return undefined;
    const base = new URL(settings.get('COVERART_BASE_URL'));
    return bucket.run(async () => {
      if (!breaker.enter()) return undefined; // opened while this one waited
      try {
        const answer = await fetchAnswer(new URL(`${trimEnd(base.href, /\//)}${path}`), base, signal);
        note(answer);
        return answer;
      } catch (error) {
        breaker.left();
        throw error;
      }
    }, signal);
  }

  async function fetchAnswer(url: URL, base: URL, signal: AbortSignal | undefined): Promise<Answer> {
    try {
      return toAnswer(
        await guardedFetch(url, {
          base,
          timeoutMs,
          maxBytes: MAX_BYTES,
          signal,
          headers: { 'user-agent': userAgentOf(version, settings.get('CONTACT')), accept: '*/*' },
        }),
      );
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { result: TEMPORARY.has(error.kind) ? 'failed' : 'unusable', reason: error.message };
    }
  }

  function note(answer: Answer): void {
    if (answer.result !== 'failed') return breaker.succeeded();
    if (answer.isBusy) bucket.pause(Math.min(LONGEST_PAUSE_MS, Math.max(busyPauseMs, answer.retryAfterMs ?? 0)));
    breaker.failed();
    if (!breaker.mayAsk()) log.warn({ reason: answer.reason }, 'cover archive paused after failures');
  }

  async function askTwice(path: string, signal: AbortSignal | undefined): Promise<ArchiveAnswer> {
    let answer: Answer | undefined;
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const next = await ask(path, signal);
      if (!next) break;
      answer = next;
      if (answer.result !== 'failed') break;
    }
    return answer ?? { result: 'paused' };
  }

  async function firstSize(
    sizes: readonly string[],
    pathOf: (size: string) => string,
    signal: AbortSignal | undefined,
  ): Promise<ArchiveAnswer> {
    for (const size of sizes) {
      const answer = await askTwice(pathOf(size), signal);
      if (answer.result !== 'none') return answer;
    }
    return { result: 'none' };
  }

  return {
    isEnabled: (): boolean => settings.get('COVERART_ENABLED'),
    /** After a change of its address or of COVERART_ENABLED: closes the breaker. */
    reset: breaker.reset,
    /** The front cover of a release group. Throws the reason of `signal`. */
    async findFront(releaseGroupMbid: string, signal?: AbortSignal): Promise<ArchiveAnswer> {
      if (!isMbid(releaseGroupMbid)) return { result: 'none' };
      return firstSize(SIZES, (size) => `/release-group/${releaseGroupMbid.toLowerCase()}/front-${size}`, signal);
    },
    /** All pictures of a release group, the front first. Throws the reason of `signal`. */
    async listImages(releaseGroupMbid: string, signal?: AbortSignal): Promise<ArchiveList> {
      if (!isMbid(releaseGroupMbid)) return { result: 'none' };
      const answer = await askTwice(`/release-group/${releaseGroupMbid.toLowerCase()}`, signal);
      if (answer.result !== 'picture') return answer;
      const images = imagesIn(answer.bytes);
      return images ? { result: 'images', images } : { result: 'unusable', reason: 'its list could not be read' };
    },
    /** One of them; `isSmall` is enough to look at. Throws the reason of `signal`. */
    findImage: (
      { release, id }: Pick<ArchiveImage, 'release' | 'id'>,
      isSmall: boolean,
      signal?: AbortSignal,
    ): Promise<ArchiveAnswer> =>
      firstSize(isSmall ? ['500'] : SIZES, (size) => `/release/${release}/${id}-${size}`, signal),
  };
}

type Answer = Exclude<ArchiveAnswer, { result: 'paused' }> & { isBusy?: true; retryAfterMs?: number };

const isMbid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Undefined if it is no list of pictures. */
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
    .slice(0, MAX_LISTED);
}

/** By status: 404 and 400 (not a valid mbid) mean that there is none; others come mostly from its storage. */
function toAnswer({ status, headers, bytes, url }: GuardedAnswer): Answer {
  if (status === 200)
    return { result: 'picture', bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  if (status === 404 || status === 400) return { result: 'none' };
  const reason = `${url.host} answered ${status}`;
  if (status !== 429 && status !== 503) return { result: 'failed', reason };
  return { result: 'failed', reason, isBusy: true, retryAfterMs: Number(headers.get('retry-after') ?? 0) * 1_000 || 0 };
}
