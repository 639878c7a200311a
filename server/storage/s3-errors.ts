// What the errors of an object store mean to us. The SDK has tried again by itself before any of them comes here.
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
  NoSuchBucket: 'The bucket of the object store is not there. Check S3_BUCKET.',
  InvalidAccessKeyId: 'The object store does not know this access key. Check S3_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'The object store does not accept this secret key. Check S3_SECRET_ACCESS_KEY.',
  AccessDenied: 'The object store does not allow this. Check the rights of its access key.',
  Forbidden: 'The object store does not allow this. Check the rights of its access key.',
  RequestTimeTooSkewed: 'The clock of this machine differs too much from that of the object store. Set it right.',
  PermanentRedirect: 'The bucket is in another region. Check S3_REGION and S3_ENDPOINT.',
  AuthorizationHeaderMalformed: 'The bucket is in another region. Check S3_REGION.',
};

/**
 * The store said that there is nothing under that key. A question by HEAD gets the same answer when the whole bucket is
 * gone.
 */
export const isAbsentObject = (error: unknown): boolean =>
  error instanceof S3ServiceException && ABSENT.includes(error.name);

/** Errors of the store become ours; an AppError stays as it is. */
export function asStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const name = error instanceof Error ? error.name : '';
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  if (FULL.includes(name) || status === 507)
    return new AppError('storage_full', 'The object store is full. Make room in it and try again.', { cause: error });
  if (name === 'InvalidRange')
    return new AppError('range_not_satisfiable', 'The audio ends before that place.', { cause: error });
  const sentence =
    SENTENCES[name] ??
    (status === 403 ? SENTENCES['AccessDenied'] : undefined) ??
    'The object store cannot be reached. Nothing is lost; try again later.';
  return new AppError('unavailable', sentence, { cause: error, retryAfter: RETRY_AFTER_S });
}

export async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asStoreError(error);
  }
}
