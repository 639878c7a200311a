// Checksums (CRC32) in both directions. Many stores refuse the headers of them, some of them with a code that says
// something else: a request that a store refuses is sent once more without, and if that works, so are all others.
// Bodies are still covered by the signature then, which contains their SHA-256.
import { S3ServiceException, type S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Settings } from './s3-settings.ts';

/** Of stores that do not know a header, or a body in chunks. */
const REFUSALS = new Set([400, 411, 501]);
/** What a checksum has nothing to do with, or what it is there to find. */
const OTHER = new Set([
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

export function followChecksums(wish: S3Settings['S3_CHECKSUMS']) {
  let isWith = wish !== 'never';
  const mode = (): Promise<'WHEN_SUPPORTED' | 'WHEN_REQUIRED'> =>
    Promise.resolve(isWith ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED');
  return {
    config: { requestChecksumCalculation: mode, responseChecksumValidation: mode } satisfies S3ClientConfig,

    /** For `auto`: finds out whether the store takes them. */
    watch(client: S3Client): void {
      if (wish !== 'auto') return;
      client.middlewareStack.add(
        (next) => async (args) => {
          const wasWith = isWith;
          try {
            return await next({ ...args, input: { ...args.input } }); // the SDK adds to it what it asks for
          } catch (error) {
            if (!wasWith || !mayBeRefusal(error)) throw error;
            isWith = false;
            try {
              return await next({ ...args, input: { ...args.input, ChecksumAlgorithm: undefined } });
            } catch (answer) {
              if (isAnswer(answer)) throw answer; // it is another one without them, such as that there is no object
              isWith = true;
              throw error;
            }
          }
        },
        { step: 'initialize', name: 'tonearmChecksums', priority: 'high' },
      );
    },
  };
}

const isAnswer = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500 && !mayBeRefusal(error);

const mayBeRefusal = (error: unknown): boolean =>
  error instanceof S3ServiceException && REFUSALS.has(error.$metadata.httpStatusCode ?? 0) && !OTHER.has(error.name);
