// Client of AcoustID (https://acoustid.org/webservice), which returns the recordings of a fingerprint.
import { z } from 'zod';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Breaker } from '../outbound/breaker.ts';
import type { TokenBucket, Wait } from '../outbound/token-bucket.ts';
import { LookupAnswer, LookupRefusal, type AcoustIdResult } from './acoustid-wire.ts';
import { createServiceClient, ServiceError } from '../outbound/service-client.ts';

interface AcoustIdDeps {
  settings: LiveSettings;
  version: string;
  userAgent: () => string;
  bucket: TokenBucket;
  breaker: Breaker;
  wait: Wait;
  timeoutMs?: number;
}

interface LookupInput {
  fingerprint: string;
  durationMs: number;
}

export type AcoustId = ReturnType<typeof createAcoustId>;

const NAME = 'The identification service';
const LOOKUP_META = 'recordings releasegroups releases tracks compress sources';
/** Error codes that concern all requests; all other codes concern a single request. */
const INVALID_KEY_CODE = 4;
const BUSY_CODES = [5, 13, 14];
const MAX_DURATION_S = 32_767;

export function createAcoustId({ settings, version, userAgent, bucket, breaker, wait, timeoutMs }: AcoustIdDeps) {
  const request = createServiceClient({
    name: NAME,
    baseUrl: () => settings.get('FPID_BASE_URL'),
    userAgent,
    bucket,
    breaker,
    wait,
    timeoutMs,
    saysBusy: (body) => BUSY_CODES.includes(codeOf(body) ?? 0),
  });
  let refusedKey: string | undefined;
  const whyOff = (): string | undefined =>
    settings.get('FPID_ENABLED') ? undefined : 'identification by fingerprint is off';

  return {
    /**
     * Returns why the user has switched lookups off; undefined if they are on. Fingerprints are computed in both cases.
     */
    whyOff,

    /** Returns why no lookups are possible; undefined if they are. */
    whyNot(): string | undefined {
      const reasonOff = whyOff();
      if (reasonOff !== undefined) return reasonOff;
      if (settings.get('FPID_API_KEY') === undefined) return 'identification by fingerprint needs an API key';
      return undefined;
    },

    /** Looks a fingerprint up, and returns the best results first. Throws a ServiceError or the reason of `signal`. */
    async lookUp({ fingerprint, durationMs }: LookupInput, signal: AbortSignal): Promise<AcoustIdResult[]> {
      const key = settings.get('FPID_API_KEY') ?? '';
      if (key === refusedKey) throw invalidKeyError();
      // in whole seconds, because the service ignores a fraction
      const duration = Math.min(MAX_DURATION_S, Math.round(durationMs / 1_000));
      const { status, body } = await request(
        {
          path: '/v2/lookup',
          form: {
            client: key,
            clientversion: version,
            format: 'json',
            duration: String(duration),
            fingerprint,
            meta: LOOKUP_META,
          },
        },
        signal,
      );
      const answer = LookupAnswer.safeParse(body);
      if (answer.success) return answer.data.results.toSorted((a, b) => b.score - a.score);
      const code = codeOf(body);
      if (code === undefined) throw new ServiceError('unreachable', `${NAME} sent an invalid answer (${status}).`);
      if (code === INVALID_KEY_CODE) {
        refusedKey = key;
        throw invalidKeyError();
      }
      throw new ServiceError('refused', `${NAME} rejected this fingerprint (${messageOf(body)}).`);
    },
  };
}

const invalidKeyError = (): ServiceError =>
  new ServiceError('misconfigured', `${NAME} does not accept the key in FPID_API_KEY.`);

function codeOf(body: unknown): number | undefined {
  const refusal = LookupRefusal.safeParse(body);
  return refusal.success ? refusal.data.error.code : undefined;
}

const messageOf = (body: unknown): string =>
  z.object({ error: z.object({ message: z.string() }) }).safeParse(body).data?.error.message ?? 'no reason given';
