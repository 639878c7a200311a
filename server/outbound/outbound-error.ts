// The errors of outgoing requests: a kind for callers to decide by, and a sentence to show.

export type OutboundErrorKind =
  | 'timeout' // the whole took too long, or nothing came for too long
  | 'too_large'
  | 'private_address' // an answer sent us into the own network
  | 'scheme' // neither http nor https
  | 'redirects' // too many, or one that is not followed
  | 'refused' // nobody listens there
  | 'network'; // no such host, a broken connection, a bad certificate, an answer that is no HTTP

export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/** Describes an error of Node's sockets and parsers. Names `host` but not the path, which may hold a key. */
export function toOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ECONNREFUSED') return new OutboundError('refused', `${host} refused the connection`, { cause: error });
  if (code === 'ETIMEDOUT')
    return new OutboundError('timeout', `${host} could not be reached in time`, { cause: error });
  return new OutboundError('network', sentence(code, host), { cause: error });
}

function sentence(code: string, host: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name ${host} could not be resolved`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${host} closed the connection`;
  if (code.startsWith('HPE_')) return `${host} sent a response that is not HTTP`;
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI'))
    return `${host} sent a response that could not be decompressed`;
  if (code.includes('CERT') || code.includes('TLS') || code.includes('SSL') || code.includes('SIGNATURE'))
    return `${host} has no valid certificate (${code})`;
  return `the connection to ${host} failed${code === '' ? '' : ` (${code})`}`;
}
