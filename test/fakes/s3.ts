// An object store as a local server, with one bucket in memory. It verifies signatures, body hashes, checksums and the
// clock of every request. `fault` decides how each request fails.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { crc32Of, openBody, StoreError } from './s3-body.ts';
import { checkSignature } from './s3-signature.ts';
import { serve, stop } from './serve.ts';

/**
 * Time limits for clients of a store that stops responding, for holdLimit. Above 2 s to connect and 6 s of silence the
 * SDK starts its timers later.
 */
export const HELD_LIMITS = { connectMs: 1_999, healthCheckMs: 600_001, silenceMs: 5_999, attempts: 2 };

/**
 * How a request fails: with an error code of the store; without a response; by a connection that ends in the middle of
 * the response; with damaged bytes after a correct start; or by a connection that ends after the request was executed.
 */
export type S3Fault = { status: number; code: string } | 'silent' | 'cut' | 'damaged' | 'lost answer';

/** A request. `key` does not contain the bucket; `operation` is the name in the store's own documentation. */
export interface S3Ask {
  operation: string;
  method: string;
  key: string;
  query: URLSearchParams;
  range: string | undefined;
  /** True if the request has or requests a checksum. */
  hasChecksum: boolean;
  /** True for a write that must not replace an existing object. */
  isConditional: boolean;
}

interface S3Object {
  bytes: Buffer;
  etag: string;
  modifiedAt: Date;
  crc32: string;
  contentType: string | undefined;
}
interface S3Upload {
  key: string;
  startedAt: Date;
  contentType: string | undefined;
  parts: Map<number, Buffer>;
}

export interface FakeS3 {
  url: string;
  bucket: string;
  objects: Map<string, S3Object>;
  /** Multipart uploads that were neither completed nor aborted. */
  uploads: Map<string, S3Upload>;
  requests: S3Ask[];
  fault: (ask: S3Ask) => S3Fault | undefined;
  /** Called when the fake leaves a request without a response. */
  onSilence: () => void;
  /** Returns the time of the store's clock. */
  now: () => Date;
  /** Whether conditions of writes are ignored. */
  ignoresConditions: boolean;
  /** Number of keys per page of a list. */
  pageSize: number;
  /** Tonearm's settings for this store. */
  settings: {
    S3_ENDPOINT: string;
    S3_REGION: string;
    S3_BUCKET: string;
    S3_ACCESS_KEY_ID: string;
    S3_SECRET_ACCESS_KEY: string;
    S3_FORCE_PATH_STYLE: string;
  };
  /** The same settings for backups, in the same bucket as the library. */
  backupSettings: Record<string, string>;
  putObject(key: string, bytes: Buffer): void;
  close(): Promise<void>;
}

const ACCESS_KEYS = {
  accessKeyId: 'AKIAFAKEFAKEFAKEFAKE',
  secretAccessKey: 'a/secret+of/the+fake',
  region: 'eu-test-1',
};
const BUCKET_NAME = 'tonearm-test';
const MIN_PART = 5 << 20;

/** Starts a store. It keeps its port, so that a closed store can come back at the same address. */
export async function startFakeS3(port = 0): Promise<FakeS3> {
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Date', fake.now().toUTCString());
    const url = new URL(request.url ?? '/', fake.url);
    const [, bucket = '', ...keySegments] = decodeURIComponent(url.pathname).split('/');
    const ask: S3Ask = {
      operation: '',
      method: request.method ?? '',
      key: keySegments.join('/'),
      query: url.searchParams,
      range: request.headers.range,
      hasChecksum: Object.keys(request.headers).some((name) => /^x-amz-(?:sdk-)?checksum/.test(name)),
      isConditional: request.headers['if-none-match'] !== undefined,
    };
    ask.operation = operationOf(ask);
    fake.requests.push(ask);
    try {
      const fault = fake.fault(ask);
      if (fault === 'silent') {
        request.resume();
        return fake.onSilence();
      }
      if (fault === 'cut' && ask.operation !== 'GetObject') return void request.socket.destroy();
      const raw = await buffer(request);
      if (typeof fault === 'object') throw new StoreError(fault.status, fault.code);
      const { payload } = checkSignature(request, url, ACCESS_KEYS, fake.now().getTime());
      if (bucket !== fake.bucket) throw new StoreError(404, 'NoSuchBucket');
      const body = openBody(raw, request.headers, payload);
      if (fault === 'lost answer') {
        response.socket?.destroy();
        perform(ask, request, body, new Sink());
      } else perform(ask, request, body, new Sink(response, ask.method === 'HEAD', fault));
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      const { status, code } = error instanceof StoreError ? error : new StoreError(500, 'InternalError');
      if (!(error instanceof StoreError)) console.error(error);
      new Sink(response, ask.method === 'HEAD').xml(
        status,
        `<Error><Code>${code}</Code><Message>${code} of the fake</Message></Error>`,
      );
    }
  }

  function perform({ operation, key, query }: S3Ask, request: IncomingMessage, body: Buffer, sink: Sink): void {
    const contentType = request.headers['content-type'];
    switch (operation) {
      case 'HeadBucket':
        return sink.sendEmpty(200);
      case 'ListObjectsV2':
        return listObjects(query, sink);
      case 'ListMultipartUploads':
        return sink.xml(
          200,
          `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${[...fake.uploads]
            .filter(([, { key: uploadKey }]) => uploadKey.startsWith(query.get('prefix') ?? ''))
            .map(
              ([id, one]) =>
                `<Upload><Key>${escape(one.key)}</Key><UploadId>${id}</UploadId><Initiated>${one.startedAt.toISOString()}</Initiated></Upload>`,
            )
            .join('')}</ListMultipartUploadsResult>`,
        );
      case 'PutObject': {
        const existingObject = fake.objects.get(key);
        if (request.headers['if-none-match'] === '*' && existingObject && !fake.ignoresConditions)
          throw new StoreError(412, 'PreconditionFailed');
        const expectedEtag = request.headers['if-match'];
        if (expectedEtag !== undefined && existingObject?.etag !== expectedEtag)
          throw new StoreError(existingObject ? 412 : 404, existingObject ? 'PreconditionFailed' : 'NoSuchKey');
        const storedObject = storeObject(key, body, contentType);
        return sink.sendEmpty(200, { ETag: storedObject.etag, 'x-amz-checksum-crc32': storedObject.crc32 });
      }
      case 'HeadObject':
      case 'GetObject':
        return send(key, request, sink);
      case 'DeleteObject':
        fake.objects.delete(key);
        return sink.sendEmpty(204);
      case 'DeleteObjects': {
        const keys = [...body.toString('utf8').matchAll(/<Key>([^<]*)<\/Key>/g)].map((match) =>
          unescape(match[1] ?? ''),
        );
        for (const objectKey of keys) fake.objects.delete(objectKey);
        return sink.xml(
          200,
          `<DeleteResult>${keys.map((objectKey) => `<Deleted><Key>${escape(objectKey)}</Key></Deleted>`).join('')}</DeleteResult>`,
        );
      }
      case 'CreateMultipartUpload': {
        const id = randomUUID();
        fake.uploads.set(id, { key, startedAt: fake.now(), contentType, parts: new Map() });
        return sink.xml(
          200,
          `<InitiateMultipartUploadResult><Bucket>${fake.bucket}</Bucket><Key>${escape(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      case 'UploadPart':
        upload(query, key).parts.set(Number(query.get('partNumber')), body);
        return sink.sendEmpty(200, { ETag: etagOf(body), 'x-amz-checksum-crc32': crc32Of(body) });
      case 'CompleteMultipartUpload':
        return complete(query, key, body.toString('utf8'), sink);
      case 'AbortMultipartUpload':
        upload(query, key);
        fake.uploads.delete(query.get('uploadId') ?? '');
        return sink.sendEmpty(204);
      default:
        throw new StoreError(501, 'NotImplemented');
    }
  }

  function storeObject(
    key: string,
    bytes: Buffer,
    contentType?: string,
    composite?: { etag: string; crc32: string },
  ): S3Object {
    const object: S3Object = {
      bytes,
      etag: composite?.etag ?? etagOf(bytes),
      modifiedAt: fake.now(),
      crc32: composite?.crc32 ?? crc32Of(bytes),
      contentType,
    };
    fake.objects.set(key, object);
    return object;
  }

  function send(key: string, request: IncomingMessage, sink: Sink): void {
    const object = fake.objects.get(key);
    if (!object) throw new StoreError(404, 'NoSuchKey');
    const expectedEtag = request.headers['if-match'];
    if (expectedEtag !== undefined && expectedEtag !== object.etag) throw new StoreError(412, 'PreconditionFailed');
    const size = object.bytes.length;
    const [, firstByte, lastByte] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const headers: Record<string, string> = {
      ETag: object.etag,
      'Last-Modified': object.modifiedAt.toUTCString(),
      'Accept-Ranges': 'bytes',
      ...(object.contentType && { 'Content-Type': object.contentType }),
    };
    if (firstByte === undefined) {
      if (request.headers['x-amz-checksum-mode'] === 'ENABLED') headers['x-amz-checksum-crc32'] = object.crc32;
      return sink.bytes(200, object.bytes, headers);
    }
    const [start, end] = [Number(firstByte), Math.min(lastByte ? Number(lastByte) : size - 1, size - 1)];
    if (start >= size || start > end) throw new StoreError(416, 'InvalidRange');
    sink.bytes(206, object.bytes.subarray(start, end + 1), {
      ...headers,
      'Content-Range': `bytes ${start}-${end}/${size}`,
    });
  }

  function listObjects(query: URLSearchParams, sink: Sink): void {
    const startAfter = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...fake.objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > startAfter)
      .sort();
    const page = keys.slice(0, Math.min(fake.pageSize, Number(query.get('max-keys') ?? 1_000)));
    const isTruncated = page.length < keys.length;
    const contents = page.map((key) => {
      const { bytes, etag, modifiedAt } = fake.objects.get(key) as S3Object;
      return `<Contents><Key>${escape(key)}</Key><Size>${bytes.length}</Size><ETag>${escape(etag)}</ETag><LastModified>${modifiedAt.toISOString()}</LastModified></Contents>`;
    });
    sink.xml(
      200,
      `<ListBucketResult><KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? `<NextContinuationToken>${escape(page.at(-1) ?? '')}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`,
    );
  }

  function upload(query: URLSearchParams, key: string): S3Upload {
    const openUpload = fake.uploads.get(query.get('uploadId') ?? '');
    if (openUpload?.key !== key) throw new StoreError(404, 'NoSuchUpload');
    return openUpload;
  }

  function complete(query: URLSearchParams, key: string, xml: string, sink: Sink): void {
    const { parts, contentType } = upload(query, key);
    const listedParts = [...xml.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: unescape(/<ETag>(.*?)</.exec(part)?.[1] ?? ''),
    }));
    const bodies = listedParts.map(({ number, etag }, i) => {
      const body = parts.get(number);
      if (!body || etagOf(body) !== etag) throw new StoreError(400, 'InvalidPart');
      if (i < listedParts.length - 1 && body.length < MIN_PART) throw new StoreError(400, 'EntityTooSmall');
      return body;
    });
    if (bodies.length === 0) throw new StoreError(400, 'MalformedXML');
    const sums = Buffer.concat(bodies.map((body) => Buffer.from(crc32Of(body), 'base64')));
    const { etag } = storeObject(key, Buffer.concat(bodies), contentType, {
      etag: `"${md5(Buffer.concat(bodies.map((body) => Buffer.from(md5(body), 'hex'))))}-${bodies.length}"`,
      crc32: `${crc32Of(sums)}-${bodies.length}`,
    });
    fake.uploads.delete(query.get('uploadId') ?? '');
    sink.xml(
      200,
      `<CompleteMultipartUploadResult><Bucket>${fake.bucket}</Bucket><Key>${escape(key)}</Key><ETag>${escape(etag)}</ETag></CompleteMultipartUploadResult>`,
    );
  }

  const fake: FakeS3 = {
    url: '',
    bucket: BUCKET_NAME,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    fault: () => undefined,
    onSilence: () => undefined,
    now: () => new Date(),
    ignoresConditions: false,
    pageSize: 1_000,
    settings: {
      S3_ENDPOINT: '',
      S3_REGION: ACCESS_KEYS.region,
      S3_BUCKET: BUCKET_NAME,
      S3_ACCESS_KEY_ID: ACCESS_KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: ACCESS_KEYS.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    },
    backupSettings: {},
    putObject: (key, bytes) => void storeObject(key, bytes),
    close: () => stop(server),
  };
  fake.settings.S3_ENDPOINT = fake.url = await serve(server, port);
  const ofBackups = Object.entries({ ...fake.settings, S3_PREFIX: 'backups' });
  fake.backupSettings = Object.fromEntries(ofBackups.map(([name, value]) => [`BACKUP_${name}`, value]));
  return fake;
}

function operationOf({ method, key, query }: S3Ask): string {
  if (key === '') {
    if (method === 'GET') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2';
    return method === 'HEAD' ? 'HeadBucket' : method === 'POST' && query.has('delete') ? 'DeleteObjects' : 'unknown';
  }
  if (query.has('uploadId'))
    return { PUT: 'UploadPart', POST: 'CompleteMultipartUpload', DELETE: 'AbortMultipartUpload' }[method] ?? 'unknown';
  if (query.has('uploads')) return 'CreateMultipartUpload';
  return { PUT: 'PutObject', GET: 'GetObject', HEAD: 'HeadObject', DELETE: 'DeleteObject' }[method] ?? 'unknown';
}

/** Writes a response with the fault that it was given. Does nothing when the connection has ended. */
class Sink {
  readonly #response: ServerResponse | undefined;
  readonly #isHead: boolean;
  readonly #fault: S3Fault | undefined;
  constructor(response?: ServerResponse, isHead = false, fault?: S3Fault) {
    this.#response = response;
    this.#isHead = isHead;
    this.#fault = fault;
  }

  sendEmpty(status: number, headers: Record<string, string> = {}): void {
    this.#response?.writeHead(status, headers).end();
  }

  xml(status: number, text: string): void {
    this.bytes(status, Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`), {
      'Content-Type': 'application/xml',
    });
  }

  bytes(status: number, bytes: Buffer, headers: Record<string, string>): void {
    this.#response?.writeHead(status, { ...headers, 'Content-Length': bytes.length });
    if (this.#isHead) this.#response?.end();
    else if (this.#fault === 'cut')
      this.#response?.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => this.#response?.destroy());
    else this.#response?.end(this.#fault === 'damaged' ? flipByte(bytes) : bytes);
  }
}

function flipByte(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const etagOf = (bytes: Buffer): string => `"${md5(bytes)}"`;
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
