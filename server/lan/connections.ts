// Which connections may stay open. Somebody who sends half a request, or takes half an answer, and then waits, must not
// keep others out; somebody who is merely slow (1 kB/s) must not be cut off, nor audio that was paused.
import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../http/addresses.ts';

export interface ConnectionLimits {
  /** Open at the same time. */
  total: number;
  /** Limit of one address; a trusted proxy has none. */
  perAddress: number;
  /** The time limit until the head of a request has arrived. */
  headMs: number;
  /** A body that stands still, and an answer that nobody takes. */
  stallMs: number;
  /** Audio that nobody takes: somebody pressed pause. */
  pauseMs: number;
  /** Minimum rate of a body. */
  bytesPerSecond: number;
  /** Connections beyond the limits, for health requests only. */
  spare: number;
  spareMs: number;
  /** The number of requests that may wait on a connection for the one before them. */
  pipelined: number;
  checkMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  total: 2_000,
  perAddress: 300,
  headMs: 20_000,
  stallMs: 60_000,
  pauseMs: 30 * 60_000,
  bytesPerSecond: 250,
  spare: 16,
  spareMs: 2_000,
  pipelined: 100,
  checkMs: 5_000,
};

/**
 * Bytes that a caller has not taken may lie in the system's buffers, where we cannot see them go. At 1 kB/s each is a
 * millisecond of patience.
 */
const MS_PER_BYTE = 1;
/** The only requests of a spare connection. */
const HEALTH_PATH = /^\/(?:api\/v1\/)?health(?:\?|$)/;
/** The log, limits and streams wait for the end of an answer: a dozen, and none of them leaks. Node warns at 11. */
const MAX_LISTENERS = 20;
const PAUSABLE_TYPE = /^(audio|video)\//;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  sentBefore: number;
  /** Answered before its body was there: the rest of the body may still come, and after it the next request. */
  isAnswered: boolean;
}
interface Connection {
  socket: Socket;
  address: string;
  openedAt: number;
  hasAsked: boolean;
  current: Exchange | undefined;
  waitingRequests: (() => void)[];
  body: { read: number; endsAt: number };
  answer: { sent: number; queued: number; movedAt: number };
}

interface ConnectionDeps {
  limits?: Partial<ConnectionLimits> | undefined;
  isProxy: (address: string | undefined) => boolean;
  now?: () => number;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections({ limits: givenLimits, isProxy, now = () => performance.now() }: ConnectionDeps) {
  const limits = { ...CONNECTION_LIMITS, ...givenLimits };
  const openConnections = new Map<Socket, Connection>();
  const byAddress = new Map<string, Set<Connection>>();
  /** Connections that came when all places were taken; the newest take the place of the oldest. */
  const spare = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;

  function addConnection(socket: Socket): void {
    const address = addressKey(socket.remoteAddress);
    const same = byAddress.get(address) ?? new Set();
    const isFull = same.size >= limits.perAddress && !isProxy(socket.remoteAddress);
    if (
      (isFull && !closeLongestIdle(same)) ||
      (openConnections.size >= limits.total && !closeLongestIdle(openConnections.values()))
    ) {
      addSpareConnection(socket);
      return;
    }
    const time = now();
    const connection: Connection = {
      socket,
      address,
      openedAt: time,
      hasAsked: false,
      current: undefined,
      waitingRequests: [],
      body: { read: 0, endsAt: time + limits.stallMs },
      answer: { sent: 0, queued: 0, movedAt: time },
    };
    openConnections.set(socket, connection);
    byAddress.set(address, same.add(connection));
    socket.once('close', () => removeConnection(connection));
    timer ??= setInterval(closeStalled, limits.checkMs).unref();
  }

  /** A monitor asks for the server's health when others hold all connections. */
  function addSpareConnection(socket: Socket): void {
    const [oldest] = spare;
    if (oldest && spare.size >= limits.spare) {
      spare.delete(oldest);
      oldest.destroy();
    }
    spare.add(socket);
    const timeout = setTimeout(() => socket.destroy(), limits.spareMs).unref();
    socket.once('close', () => {
      clearTimeout(timeout);
      spare.delete(socket);
    });
  }

  function removeConnection(connection: Connection): void {
    openConnections.delete(connection.socket);
    const same = byAddress.get(connection.address);
    same?.delete(connection);
    if (same?.size === 0) byAddress.delete(connection.address);
  }

  /** Ends the connection that has been idle for the longest time; returns false when all are busy. */
  function closeLongestIdle(connections: Iterable<Connection>): boolean {
    let longestIdle: Connection | undefined;
    for (const connection of connections) {
      if (connection.current || connection.socket.destroyed) continue;
      if (
        !longestIdle ||
        (connection.hasAsked === longestIdle.hasAsked
          ? connection.openedAt < longestIdle.openedAt
          : longestIdle.hasAsked)
      )
        longestIdle = connection;
    }
    if (longestIdle) {
      removeConnection(longestIdle);
      longestIdle.socket.destroy();
    }
    return longestIdle !== undefined;
  }

  function closeStalled(): void {
    const time = now();
    for (const connection of openConnections.values()) {
      const { current } = connection;
      if (!current) continue;
      if (!current.req.complete && isBodyStalled(connection, current, time)) refuse(connection, 408);
      else if (isAnswerStalled(connection, current, time)) connection.socket.destroy();
    }
  }

  /** Each byte extends the time limit, so that a slow body lives, even in bursts. */
  function isBodyStalled({ socket, body }: Connection, { req }: Exchange, time: number): boolean {
    const receivedBytes = socket.bytesRead - body.read;
    body.read = socket.bytesRead;
    if (req.readableLength > 0) body.endsAt = Math.max(body.endsAt, time + limits.stallMs); // we do not read
    body.endsAt = Math.min(body.endsAt + (receivedBytes * 1_000) / limits.bytesPerSecond, time + 2 * limits.stallMs);
    return time > body.endsAt;
  }

  function isAnswerStalled({ socket, answer }: Connection, { res, sentBefore }: Exchange, time: number): boolean {
    const [sent, queued] = [socket.bytesWritten - socket.writableLength, queuedBytes(socket)];
    const isMoving = sent > answer.sent || queued < answer.queued || (socket.writableLength === 0 && queued === 0);
    Object.assign(answer, { sent, queued, ...(isMoving && { movedAt: time }) });
    const patience = PAUSABLE_TYPE.test(String(res.getHeader('Content-Type') ?? ''))
      ? limits.pauseMs
      : Math.min(limits.pauseMs, limits.stallMs + (sent - sentBefore) * MS_PER_BYTE);
    return time - answer.movedAt > patience;
  }

  /** Sends a sentence if the response has not begun. */
  function refuse({ socket, current }: Connection, status: number): void {
    if (!socket.writable || current?.res.headersSent) return void socket.destroy();
    const detail = DETAIL_BY_STATUS[status] ?? 'The request is malformed.';
    const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  }

  /** Serves one request of a connection at a time, and lets others in between: a thousand may arrive in one piece. */
  function serveInOrder(app: RequestListener): RequestListener {
    return (req, res) => {
      const connection = openConnections.get(req.socket);
      if (!connection) {
        if (!spare.has(req.socket) || !HEALTH_PATH.test(req.url ?? '')) return void req.socket.destroy();
        res.setHeader('Connection', 'close');
        return void app(req, res);
      }
      const run = (): void => {
        const { socket } = connection;
        const time = now();
        connection.hasAsked = true;
        const sentBefore = socket.bytesWritten - socket.writableLength;
        const exchange: Exchange = { req, res, sentBefore, isAnswered: false };
        connection.current = exchange;
        connection.body = { read: socket.bytesRead, endsAt: time + limits.stallMs };
        connection.answer = { sent: 0, queued: 0, movedAt: time };
        res.setMaxListeners(MAX_LISTENERS);
        res.once('close', () => {
          if (socket.destroyed) connection.waitingRequests.length = 0;
          const startNext = connection.waitingRequests.shift();
          if (startNext) setImmediate(startNext);
          else if (req.complete || req.destroyed) connection.current = undefined;
          else {
            exchange.isAnswered = true;
            req.once('close', () => connection.current === exchange && (connection.current = undefined));
          }
        });
        app(req, res);
      };
      if (!connection.current || connection.current.isAnswered) return run();
      connection.waitingRequests.push(run);
      if (connection.waitingRequests.length <= limits.pipelined) return;
      endParser(req.socket);
      req.socket.destroy();
    };
  }

  return {
    limits,
    inTurn: serveInOrder,

    watch(server: Server): void {
      server.on('connection', addConnection);
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
        const connection = openConnections.get(socket);
        if (!connection || error.code === 'ECONNRESET') return void socket.destroy();
        refuse(connection, STATUS_BY_ERROR[error.code ?? ''] ?? 400);
      });
    },

    end: (): void => clearInterval(timer),
  };
}

const STATUS_BY_ERROR: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};
const DETAIL_BY_STATUS: Record<number, string> = {
  408: 'The request was not complete in time.',
  413: 'The request is too large.',
  431: 'The address and the headers of the request are too large.',
};

/**
 * Stops Node's parser, which would make a request and a response of each of up to 1,600 requests that arrived in the
 * same piece, and an error of each when the connection closes. 2 is Node's code for a request after which HTTP ends.
 */
function endParser(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => 2);
}

/** Returns how much of the written data the system has not taken yet; Node has no public API for that. */
function queuedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle
    ? Number(handle.writeQueueSize)
    : 0;
}
