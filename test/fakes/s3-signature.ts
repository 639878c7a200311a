// Checks AWS Signature Version 4 as a store does: in the Authorization header, or in the query of a presigned URL.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { StoreError } from './s3-body.ts';

interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

interface Claim {
  accessKeyId: string;
  scope: string[];
  signedHeaders: string[];
  signature: string;
  date: string;
  payload: string;
}

const MAX_SKEW_MS = 15 * 60_000;
const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** Returns the signed hash or kind of the body. Throws a StoreError with the codes of a real store. */
export function checkSignature(request: IncomingMessage, url: URL, keys: Keys, now: number): { payload: string } {
  const isPresigned = url.searchParams.has('X-Amz-Signature');
  const claim = isPresigned ? fromQuery(url) : fromHeader(request);
  const [day = '', region, service, end] = claim.scope;
  if (claim.accessKeyId !== keys.accessKeyId) throw new StoreError(403, 'InvalidAccessKeyId');
  if (region !== keys.region || service !== 's3' || end !== 'aws4_request' || !claim.date.startsWith(day))
    throw new StoreError(400, 'AuthorizationHeaderMalformed');
  const age = now - timeOf(claim.date);
  if (isPresigned && age > Number(url.searchParams.get('X-Amz-Expires')) * 1_000)
    throw new StoreError(403, 'AccessDenied');
  if (age < -MAX_SKEW_MS || (!isPresigned && age > MAX_SKEW_MS)) throw new StoreError(403, 'RequestTimeTooSkewed');
  if (!claim.signedHeaders.includes('host')) throw new StoreError(403, 'SignatureDoesNotMatch');

  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery(url),
    ...claim.signedHeaders.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    claim.signedHeaders.join(';'),
    claim.payload,
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    claim.date,
    claim.scope.join('/'),
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = claim.scope.reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${keys.secretAccessKey}`);
  if (hmac(key, toSign).toString('hex') !== claim.signature) throw new StoreError(403, 'SignatureDoesNotMatch');
  return { payload: claim.payload };
}

function fromHeader(request: IncomingMessage): Claim {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (!match) throw new StoreError(403, 'AccessDenied');
  const [, accessKeyId = '', scope = '', signedHeaders = '', signature = ''] = match;
  const payload = String(request.headers['x-amz-content-sha256'] ?? '');
  if (payload === '') throw new StoreError(400, 'MissingSecurityHeader');
  return {
    accessKeyId,
    scope: scope.split('/'),
    signedHeaders: signedHeaders.split(';'),
    signature,
    date: String(request.headers['x-amz-date']),
    payload,
  };
}

function fromQuery({ searchParams }: URL): Claim {
  const [accessKeyId = '', ...scope] = (searchParams.get('X-Amz-Credential') ?? '').split('/');
  return {
    accessKeyId,
    scope,
    signedHeaders: (searchParams.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: searchParams.get('X-Amz-Signature') ?? '',
    date: searchParams.get('X-Amz-Date') ?? '',
    payload: UNSIGNED_PAYLOAD,
  };
}

const canonicalQuery = ({ searchParams }: URL): string =>
  [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Parses a time such as `20240101T000000Z`. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
