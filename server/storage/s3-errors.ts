// Converts errors of an object store to AppErrors, with the store's own words. The SDK has already retried before it
// throws them.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError, messageOf } from '../errors.ts';

const ABSENT_NAMES = ['NoSuchKey', 'NotFound'];
const FULL_NAMES = [
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'EntityTooLarge',
];
const RETRY_AFTER_S = 10;
/** The suggested wait after errors that last until a person changes something, in seconds. */
const RETRY_AFTER_FIX_S = 60;
/** Stores refuse requests whose time differs by more than this from their own. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;
const MAX_DETAIL_CHARS = 300;

const CLOCK_MESSAGE = 'The clocks of this machine and the object store differ too much. Set the clock.';
const NOT_ALLOWED_MESSAGE = 'The object store does not allow this. Check the permissions of the access key.';
const REFUSED_MESSAGE = 'The object store refuses this request.';
const UNREACHABLE_MESSAGE = 'The object store cannot be reached. Try again later.';
const BUSY_MESSAGE = 'The object store is too busy or has a fault. Try again later.';
const MESSAGES: Record<string, string> = {
  NoSuchBucket: 'The bucket does not exist in the object store. Check S3_BUCKET.',
  InvalidAccessKeyId: 'The object store does not know this access key. Check S3_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'The object store does not accept this secret key. Check S3_SECRET_ACCESS_KEY.',
  AccessDenied: NOT_ALLOWED_MESSAGE,
  Forbidden: NOT_ALLOWED_MESSAGE,
  RequestTimeTooSkewed: CLOCK_MESSAGE,
  PermanentRedirect: 'The bucket is in another region. Check S3_REGION and S3_ENDPOINT.',
  AuthorizationHeaderMalformed: 'The bucket is in another region. Check S3_REGION.',
  NotImplemented: 'The object store does not support this request. If it refuses checksums, set S3_CHECKSUMS to never.',
};

/**
 * Returns true if the error says that there is no object with that key. HEAD requests get the same answer when the
 * bucket does not exist.
 */
export const isAbsentObject = (error: unknown): boolean =>
  error instanceof S3ServiceException && ABSENT_NAMES.includes(error.name);

/** Returns true if a conditional write was refused because the object exists. */
export const isKeyTaken = (error: unknown): boolean =>
  error instanceof S3ServiceException && [409, 412].includes(error.$metadata.httpStatusCode ?? 0);

export function asStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const name = error instanceof Error ? error.name : '';
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (FULL_NAMES.includes(name) || status === 507)
    return new AppError(
      'storage_full',
      `The object store is full. Free some space and try again.${storeDetail(error)}`,
      {
        cause: error,
      },
    );
  if (name === 'InvalidRange')
    return new AppError('range_not_satisfiable', 'The range is past the end of the audio.', { cause: error });
  const message = isClockSkewed(error) ? CLOCK_MESSAGE : (MESSAGES[name] ?? messageForStatus(status));
  const retryAfter = message === UNREACHABLE_MESSAGE || message === BUSY_MESSAGE ? RETRY_AFTER_S : RETRY_AFTER_FIX_S;
  return new AppError('unavailable', `${message}${storeDetail(error)}`, { cause: error, retryAfter });
}

const messageForStatus = (status: number | undefined): string => {
  if (status === undefined || status < 300) return UNREACHABLE_MESSAGE;
  if (status === 403 || status === 401) return NOT_ALLOWED_MESSAGE;
  if (status === 501) return MESSAGES['NotImplemented'] ?? REFUSED_MESSAGE;
  return status === 429 || status >= 500 ? BUSY_MESSAGE : REFUSED_MESSAGE;
};

/**
 * Returns whether the clock is wrong, by the Date header of a refusal; a HEAD request has no other sign of a wrong
 * time.
 */
function isClockSkewed(error: unknown): boolean {
  if (!(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== 403) return false;
  const date = error.$response?.headers['date'];
  return date !== undefined && Math.abs(Date.parse(date) - Date.now()) > MAX_CLOCK_SKEW_MS;
}

/** Returns ` (it says 501 NotImplemented: A header you provided …)`, or the reason why the store did not answer. */
function storeDetail(error: unknown): string {
  const isAnswer = error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 0) >= 300;
  const head = isAnswer
    ? [error.$metadata.httpStatusCode, /^(?:Unknown|UnknownError|\d+)$/.test(error.name) ? '' : error.name]
        .filter(Boolean)
        .join(' ')
    : codeOf(error);
  const text = messageOf(error)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const addsInformation = text !== '' && text !== 'UnknownError' && !head.includes(text);
  const detail = [head, addsInformation ? text : ''].filter(Boolean).join(': ').slice(0, MAX_DETAIL_CHARS);
  return detail === '' ? '' : ` (${isAnswer ? 'it says ' : ''}${detail})`;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && !error.message.includes(String(error.code)) ? String(error.code) : '';

export async function withStoreErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStoreError(error);
  }
}
