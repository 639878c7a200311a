// Sends and verifies checksums (CRC32). Many stores refuse their headers, some with an error code of another meaning: a
// refused request is sent once more without a checksum, and if that works, all later requests are sent without
// checksums, too. Bodies are then still covered by the signature, which contains their SHA-256.
import { S3ServiceException, type S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Settings } from './s3-settings.ts';

/** Statuses of stores that do not know a header, or a body in chunks. */
const REFUSAL_STATUSES = new Set([400, 411, 501]);
/** Errors that are unrelated to checksums, or that a checksum is meant to detect. */
const UNRELATED_ERRORS = new Set([
  'AuthorizationHeaderMalformed',
  'BadDigest',
  'EntityTooLarge',
  'EntityTooSmall',
  'ExpiredToken',
  'IncompleteBody',
  'InvalidPart',
  'InvalidPartOrder',
  'InvalidRange',
  'KeyTooLongError',
  'NoSuchUpload',
  'RequestTimeout',
  'XAmzContentChecksumMismatch',
]);

export function createChecksumPolicy(checksumSetting: S3Settings['S3_CHECKSUMS']) {
  let sendsChecksums = checksumSetting !== 'never';
  const checksumMode = (): Promise<'WHEN_SUPPORTED' | 'WHEN_REQUIRED'> =>
    Promise.resolve(sendsChecksums ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED');
  return {
    config: {
      requestChecksumCalculation: checksumMode,
      responseChecksumValidation: checksumMode,
    } satisfies S3ClientConfig,

    /** Finds out whether the store accepts checksums, for the setting `auto`. */
    watch(client: S3Client): void {
      if (checksumSetting !== 'auto') return;
      client.middlewareStack.add(
        (next) => async (args) => {
          const sentChecksums = sendsChecksums;
          try {
            // passes a copy, because the SDK adds fields to the input
            return await next({ ...args, input: { ...args.input } });
          } catch (error) {
            if (!sentChecksums || !mayBeRefusal(error)) throw error;
            sendsChecksums = false;
            try {
              return await next({ ...args, input: { ...args.input, ChecksumAlgorithm: undefined } });
            } catch (retryError) {
              // the error is the store's real answer, such as that there is no object
              if (isStoreAnswer(retryError)) throw retryError;
              sendsChecksums = true;
              throw error;
            }
          }
        },
        { step: 'initialize', name: 'tonearmChecksums', priority: 'high' },
      );
    },
  };
}

const isStoreAnswer = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500 && !mayBeRefusal(error);

const mayBeRefusal = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  REFUSAL_STATUSES.has(error.$metadata.httpStatusCode ?? 0) &&
  !UNRELATED_ERRORS.has(error.name);
