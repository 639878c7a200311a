// Errors of an object store as AppErrors. The SDK has retried before it throws them.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '../errors.ts';

const ABSENT = ['NoSuchKey', 'NotFound'];
const FULL = [
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
  'EntityTooLarge',
];
const RETRY_AFTER_S = 10;

const SENTENCES: Record<string, string> = {
  NoSuchBucket: 'The bucket does not exist in the object store. Check S3_BUCKET.',
  InvalidAccessKeyId: 'The object store does not know this access key. Check S3_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'The object store does not accept this secret key. Check S3_SECRET_ACCESS_KEY.',
  AccessDenied: 'The object store does not allow this. Check the permissions of the access key.',
  Forbidden: 'The object store does not allow this. Check the permissions of the access key.',
  RequestTimeTooSkewed: 'The clocks of this machine and the object store differ too much. Set the clock.',
  PermanentRedirect: 'The bucket is in another region. Check S3_REGION and S3_ENDPOINT.',
  AuthorizationHeaderMalformed: 'The bucket is in another region. Check S3_REGION.',
};

/** True when there is no object with that key. HEAD requests get the same answer when the bucket does not exist. */
export const isAbsentObject = (error: unknown): boolean =>
  error instanceof S3ServiceException && ABSENT.includes(error.name);

/** True when a conditional write was refused because there is an object. */
export const isTaken = (error: unknown): boolean =>
  error instanceof S3ServiceException && [409, 412].includes(error.$metadata.httpStatusCode ?? 0);

export function asStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const name = error instanceof Error ? error.name : '';
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (FULL.includes(name) || status === 507)
    return new AppError('storage_full', 'The object store is full. Free some space and try again.', { cause: error });
  if (name === 'InvalidRange')
    return new AppError('range_not_satisfiable', 'The range is past the end of the audio.', { cause: error });
  const sentence =
    SENTENCES[name] ??
    (status === 403 ? SENTENCES['AccessDenied'] : undefined) ??
    'The object store cannot be reached. Try again later.';
  return new AppError('unavailable', sentence, { cause: error, retryAfter: RETRY_AFTER_S });
}

export async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStoreError(error);
  }
}
