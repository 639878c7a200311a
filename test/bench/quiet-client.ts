// Sends requests over one kept-alive socket into one reused buffer. A client that creates garbage would wait for its
// own collector, sometimes 10 ms, and count this as the server's time.
import { connect } from 'node:net';

const BUFFER_BYTES = 1 << 20;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface QuietClient {
  /** Returns the milliseconds from the first byte sent to the last byte received. Throws unless the status is 2xx. */
  timeRequest(path: string, init?: { method?: string; body?: string }): Promise<number>;
  close(): void;
}

interface Open {
  path: string;
  startedAt: number;
  remainingBytes: number;
  resolve: (ms: number) => void;
  reject: (error: Error) => void;
}

/** Opens a client. `address` is the origin; paths begin with a slash. */
export function openQuietClient(address: string, token?: string): Promise<QuietClient> {
  const { hostname, port, host } = new URL(address);
  let open: Open | undefined;
  const fail = (error: Error): void => {
    open?.reject(error);
    open = undefined;
  };
  const onRead = (count: number, buffer: Uint8Array): boolean => {
    if (!open) return true;
    let bytes = count;
    if (open.remainingBytes < 0) {
      const text = Buffer.from(buffer.buffer, buffer.byteOffset, Math.min(count, 4_096)).toString('latin1');
      const end = text.indexOf(HEAD_END);
      const length = /content-length: (\d+)/i.exec(text);
      const isChunked = /transfer-encoding: chunked/i.test(text); // a response of several turns
      if (end < 0 || !(length || isChunked) || !text.startsWith('HTTP/1.1 2')) {
        fail(new Error(`${open.path}: ${text.slice(0, 500)}`));
        return true;
      }
      open.remainingBytes = length ? Number(length[1]) : Number.POSITIVE_INFINITY;
      bytes -= end + HEAD_END.length;
    }
    open.remainingBytes -= bytes;
    const isEnd = Buffer.from(buffer.buffer, buffer.byteOffset, count).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
    if (open.remainingBytes > 0 && !(open.remainingBytes === Number.POSITIVE_INFINITY && isEnd)) return true;
    const { resolve, startedAt } = open;
    open = undefined;
    resolve(performance.now() - startedAt);
    return true;
  };
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(BUFFER_BYTES), callback: onRead },
    });
    socket
      .once('error', reject)
      .on('error', fail)
      .on('close', () => fail(new Error('the server closed the connection')));
    socket.once('connect', () =>
      resolve({
        timeRequest: (path, { method = 'GET', body = '' } = {}) =>
          new Promise((resolve, reject) => {
            open = { path, startedAt: performance.now(), remainingBytes: -1, resolve, reject };
            socket.write(
              `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}${body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`,
            );
          }),
        close: () => {
          socket.destroy();
        },
      }),
    );
  });
}
