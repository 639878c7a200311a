// Reads the body of a request to the object store, plain or `aws-chunked` with a trailing checksum, and checks its hash
// and size.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

/** An error that is sent as XML with its code. */
export class StoreError extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const CHECKSUMS: Record<string, (bytes: Buffer) => string> = {
  crc32: crc32Of,
  sha256: (bytes) => createHash('sha256').update(bytes).digest('base64'),
};

export function crc32Of(bytes: Buffer): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString('base64');
}

/** Returns the checked body. `payload` is the hash or kind of the body in the signature. */
export function openBody(raw: Buffer, headers: IncomingHttpHeaders, payload: string): Buffer {
  if (payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return openChunks(raw, headers);
  if (payload.startsWith('STREAMING-')) throw new StoreError(501, 'NotImplemented');
  if (payload !== 'UNSIGNED-PAYLOAD' && createHash('sha256').update(raw).digest('hex') !== payload)
    throw new StoreError(400, 'XAmzContentSHA256Mismatch');
  for (const name of Object.keys(CHECKSUMS)) checkSum(name, headers[`x-amz-checksum-${name}`], raw);
  return raw;
}

/** Decodes chunks: `<hex length>\r\n<bytes>\r\n` …, `0\r\n`, then the trailer that was announced. */
function openChunks(raw: Buffer, headers: IncomingHttpHeaders): Buffer {
  if (headers['content-encoding']?.includes('aws-chunked') !== true) throw new StoreError(400, 'InvalidRequest');
  const chunks: Buffer[] = [];
  let offset = 0;
  const line = (): string => {
    const end = raw.indexOf('\r\n', offset);
    if (end < 0) throw new StoreError(400, 'IncompleteBody');
    const text = raw.toString('latin1', offset, end);
    offset = end + 2;
    return text;
  };
  for (let size = Number.parseInt(line(), 16); size > 0; size = Number.parseInt(line(), 16)) {
    chunks.push(raw.subarray(offset, offset + size));
    offset += size;
    if (line() !== '') throw new StoreError(400, 'IncompleteBody');
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== Number(headers['x-amz-decoded-content-length'])) throw new StoreError(400, 'IncompleteBody');
  const [name = '', value] = line().split(':');
  if (name.toLowerCase() !== headers['x-amz-trailer']) throw new StoreError(400, 'MalformedTrailerError');
  checkSum(name.toLowerCase().replace('x-amz-checksum-', ''), value, bytes);
  return bytes;
}

function checkSum(name: string, value: string | string[] | undefined, bytes: Buffer): void {
  if (value === undefined) return;
  const sum = CHECKSUMS[name];
  if (!sum) throw new StoreError(501, 'NotImplemented');
  if (sum(bytes) !== String(value).trim()) throw new StoreError(400, 'BadDigest');
}
