// Sends requests to the servers of podcasts. Any user may enter their addresses, so they must be on the open internet.
import { guardedFetch, guardedStream, type GuardedAnswer, type GuardedStream } from '../outbound/guarded-fetch.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';

interface PodcastWebDeps {
  version: string;
  contact: () => string | undefined;
  /** Address of a test server, which may be on this machine. */
  testServer?: URL | undefined;
}

const { bytes: MAX_FEED_BYTES } = TEXT_LIMITS.feed;
const FEED_TIMEOUT_MS = 60_000;
const MAX_PICTURE_BYTES = 20 << 20;
const AUDIO_TIMEOUT_MS = 6 * 3_600_000;
const STALL_TIMEOUT_MS = 30_000;

export type PodcastWeb = ReturnType<typeof createPodcastWeb>;

export function createPodcastWeb({ version, contact, testServer }: PodcastWebDeps) {
  const targetOf = (url: URL) => (testServer ? { base: testServer } : { base: url, publicOnly: true });
  const agent = (): Record<string, string> => ({ 'user-agent': userAgentOf(version, contact()), accept: '*/*' });
  return {
    feed: (url: URL, headers: Record<string, string>, signal?: AbortSignal): Promise<GuardedAnswer> =>
      guardedFetch(url, {
        ...targetOf(url),
        headers: { ...agent(), ...headers },
        timeoutMs: FEED_TIMEOUT_MS,
        stallMs: STALL_TIMEOUT_MS,
        maxBytes: MAX_FEED_BYTES,
        signal,
      }),
    /** Returns a picture; undefined when there is none. */
    async picture(url: URL): Promise<Uint8Array | undefined> {
      const limits = { timeoutMs: FEED_TIMEOUT_MS, stallMs: STALL_TIMEOUT_MS, maxBytes: MAX_PICTURE_BYTES };
      try {
        const { status, bytes } = await guardedFetch(url, { ...targetOf(url), headers: agent(), ...limits });
        return status === 200 ? bytes : undefined;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        return undefined;
      }
    },
    audio: (
      url: URL,
      { headers, maxBytes, signal }: { headers: Record<string, string>; maxBytes: number; signal: AbortSignal },
    ): Promise<GuardedStream> =>
      guardedStream(url, {
        ...targetOf(url),
        headers: { ...agent(), ...headers },
        timeoutMs: AUDIO_TIMEOUT_MS,
        stallMs: STALL_TIMEOUT_MS,
        maxBytes,
        signal,
      }),
  };
}
