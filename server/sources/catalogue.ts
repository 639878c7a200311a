// Interface of remote catalogues. The setting STREAMSRC_PROVIDER says which catalogue is used.
import { AppError } from '../errors.ts';

/** A search result. */
export interface CatalogueHit {
  /** The catalogue's id of the hit, the same in every search. */
  id: string;
  title: string;
  artist?: string | undefined;
  album?: string | undefined;
  /** The catalogue's id of the album, if it has one; `artistId` likewise. */
  albumId?: string | undefined;
  artistId?: string | undefined;
  durationMs?: number | undefined;
  trackNumber?: number | undefined;
  year?: number | undefined;
  /** Address of the cover, to be fetched with `cover`, which adds credentials if needed. */
  coverUrl?: string | undefined;
  pageUrl?: string | undefined;
}

/** The data of a hit that is stored to download it later. */
export type CatalogueRef = Pick<CatalogueHit, 'id' | 'pageUrl'>;

export interface DownloadOptions {
  signal: AbortSignal;
  maxBytes: number;
  onProgress: (doneBytes: number, total: number | null) => void;
}

/** All methods throw CatalogueError or the signal's reason. */
export interface CatalogueProvider {
  readonly name: string;
  /** Returns what is missing in the settings; undefined if the catalogue is ready for use. */
  whyNot(): string | undefined;
  /** Returns whether untrusted text has the form of an id of this catalogue. */
  isId(id: string): boolean;
  /** Checks that the catalogue can be reached; returns a description, such as a version. */
  check(signal: AbortSignal): Promise<string>;
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<CatalogueHit[]>;
  resolve(ref: CatalogueRef, signal: AbortSignal): Promise<CatalogueHit>;
  /**
   * Downloads the audio into `dir` and returns the path of the file. Resumes an incomplete download of an earlier call
   * in `dir`.
   */
  download(ref: CatalogueRef, dir: string, options: DownloadOptions): Promise<string>;
  /** Returns the bytes of the picture, not validated. */
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

/** Faults that are temporary, so a retry may succeed. */
const TEMPORARY_FAULTS: ReadonlySet<CatalogueFault> = new Set(['unavailable', 'rate_limited', 'timeout']);

/** The error of a catalogue; `message` is a sentence for users. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
  readonly fault: CatalogueFault;
  /** Wait time that the catalogue asked for. */
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
    return TEMPORARY_FAULTS.has(this.fault);
  }
}

/** Converts a CatalogueError for the API. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof CatalogueError)) return error;
  if (error.fault === 'not_found') return new AppError('not_found', error.message, { cause: error });
  if (!error.isPassing) return new AppError('conflict', error.message, { cause: error });
  return new AppError('unavailable', error.message, {
    cause: error,
    retryAfter: Math.ceil((error.retryAfterMs ?? 5_000) / 1_000),
  });
}
