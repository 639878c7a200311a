// The errors of outgoing requests: each has a kind for callers, and a sentence to show.

export type OutboundErrorKind =
  | 'timeout' // the whole exchange took too long, or nothing arrived for too long
  | 'too_large'
  | 'private_address' // a redirect or name led into a private network
  | 'scheme' // neither http nor https
  | 'redirects' // too many redirects, or a redirect that is not followed
  | 'refused' // nothing listens on this port
  | 'network'; // no such host, a broken connection, a bad certificate, an answer that is no HTTP

export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Converts an error of Node's sockets and parsers. The message names `host` but not the path, which may contain a key.
 */
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
