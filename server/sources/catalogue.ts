// What a remote catalogue can do, whoever stands behind it. One of ia.ts, ext.ts and sub.ts is in use at a time
// (STREAMSRC_PROVIDER).
import { AppError } from '../errors.ts';

/** Something to hear, as a catalogue shows it. */
export interface CatalogueHit {
  /** The catalogue's own, the same in every search. */
  id: string;
  title: string;
  artist?: string | undefined;
  album?: string | undefined;
  durationMs?: number | undefined;
  trackNumber?: number | undefined;
  year?: number | undefined;
  /** Fetched by `cover`; may need credentials that are not in it. */
  coverUrl?: string | undefined;
  pageUrl?: string | undefined;
}

/** What has to be kept of a hit to fetch it another day. */
export type CatalogueRef = Pick<CatalogueHit, 'id' | 'pageUrl'>;

export interface DownloadOptions {
  signal: AbortSignal;
  maxBytes: number;
  onProgress: (done: number, total: number | null) => void;
}

/** Everything throws CatalogueError, or the signal's reason. */
export interface CatalogueProvider {
  readonly name: string;
  /** What is missing in the settings, in words; undefined when it can be asked. */
  whyNot(): string | undefined;
  /** Whether text from outside may be an id of this catalogue. */
  isId(id: string): boolean;
  /** Asks whether it can be reached; gives a few words about it, such as a version. */
  check(signal: AbortSignal): Promise<string>;
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<CatalogueHit[]>;
  resolve(ref: CatalogueRef, signal: AbortSignal): Promise<CatalogueHit>;
  /**
   * Fetches the audio into `dir` and gives the file's path. What an earlier call left in `dir` is gone on with where
   * that is possible.
   */
  download(ref: CatalogueRef, dir: string, options: DownloadOptions): Promise<string>;
  /** The picture's bytes, unchecked. */
  cover(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

export type CatalogueFault =
  | 'not_found'
  | 'forbidden'
  | 'invalid_media'
  | 'too_large'
  | 'misconfigured'
  | 'unavailable'
  | 'rate_limited'
  | 'timeout';

/** Another time may be better. */
const PASSING: ReadonlySet<CatalogueFault> = new Set(['unavailable', 'rate_limited', 'timeout']);

/** `message` is a whole sentence for the person. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
  readonly fault: CatalogueFault;
  /** How long the catalogue asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: CatalogueFault,
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs;
  }

  get isPassing(): boolean {
    return PASSING.has(this.fault);
  }
}

/** The same for callers over HTTP. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof CatalogueError)) return error;
  if (error.fault === 'not_found') return new AppError('not_found', error.message, { cause: error });
  if (!error.isPassing) return new AppError('conflict', error.message, { cause: error });
  return new AppError('unavailable', error.message, {
    cause: error,
    retryAfter: Math.ceil((error.retryAfterMs ?? 5_000) / 1_000),
  });
}
