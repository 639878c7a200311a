// Which connections may stay open. Somebody who sends half a request, or takes half an answer, and then waits, must not
// keep others out; somebody who is merely slow (1 kB/s) must not be cut off, nor audio that was paused.
import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../http/addresses.ts';

export interface ConnectionLimits {
  /** Open at the same time. */
  total: number;
  /** From one address; a trusted proxy has no limit of its own. */
  perAddress: number;
  /** Until the head of a request is there. */
  headMs: number;
  /** A body that stands still, and an answer that nobody takes. */
  stallMs: number;
  /** Audio that nobody takes: somebody pressed pause. */
  pauseMs: number;
  /** Of a body; more keeps it alive. */
  bytesPerSecond: number;
  /** More than these limits allow, for requests of the server's health alone. */
  spare: number;
  spareMs: number;
  /** Requests that wait on a connection for the one before them. */
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
/** What a spare connection may ask for. */
const HEALTH = /^\/(?:api\/v1\/)?health(?:\?|$)/;
/** The log, limits and streams wait for the end of an answer: a dozen, and none of them leaks. Node warns at 11. */
const MOST_LISTENERS = 20;
const PAUSABLE = /^(audio|video)\//;

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
  waiting: (() => void)[];
  body: { read: number; endsAt: number };
  answer: { sent: number; queued: number; movedAt: number };
}

interface ConnectionDeps {
  limits?: Partial<ConnectionLimits> | undefined;
  isProxy: (address: string | undefined) => boolean;
  now?: () => number;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections({ limits: given, isProxy, now = () => performance.now() }: ConnectionDeps) {
  const limits = { ...CONNECTION_LIMITS, ...given };
  const open = new Map<Socket, Connection>();
  const byAddress = new Map<string, Set<Connection>>();
  /** Connections that came when all places were taken; the newest take the place of the oldest. */
  const spare = new Set<Socket>();
  let timer: NodeJS.Timeout | undefined;

  function enter(socket: Socket): void {
    const address = addressKey(socket.remoteAddress);
    const same = byAddress.get(address) ?? new Set();
    const isFull = same.size >= limits.perAddress && !isProxy(socket.remoteAddress);
    if ((isFull && !giveWay(same)) || (open.size >= limits.total && !giveWay(open.values()))) {
      enterSpare(socket);
      return;
    }
    const at = now();
    const connection: Connection = {
      socket,
      address,
      openedAt: at,
      hasAsked: false,
      current: undefined,
      waiting: [],
      body: { read: 0, endsAt: at + limits.stallMs },
      answer: { sent: 0, queued: 0, movedAt: at },
    };
    open.set(socket, connection);
    byAddress.set(address, same.add(connection));
    socket.once('close', () => leave(connection));
    timer ??= setInterval(check, limits.checkMs).unref();
  }

  /** A monitor asks for the server's health when others hold all connections. */
  function enterSpare(socket: Socket): void {
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

  function leave(connection: Connection): void {
    open.delete(connection.socket);
    const same = byAddress.get(connection.address);
    same?.delete(connection);
    if (same?.size === 0) byAddress.delete(connection.address);
  }

  /** Ends the one that waits for the longest without having asked anything; false when all are at work. */
  function giveWay(connections: Iterable<Connection>): boolean {
    let last: Connection | undefined;
    for (const one of connections) {
      if (one.current || one.socket.destroyed) continue;
      if (!last || (one.hasAsked === last.hasAsked ? one.openedAt < last.openedAt : last.hasAsked)) last = one;
    }
    if (last) {
      leave(last);
      last.socket.destroy();
    }
    return last !== undefined;
  }

  function check(): void {
    const at = now();
    for (const connection of open.values()) {
      const { current } = connection;
      if (!current) continue;
      if (!current.req.complete && isBodyStalled(connection, current, at)) refuse(connection, 408);
      else if (isAnswerStalled(connection, current, at)) connection.socket.destroy();
    }
  }

  /** Each byte puts the end off, so that a slow body lives, also when it comes in bursts. */
  function isBodyStalled({ socket, body }: Connection, { req }: Exchange, at: number): boolean {
    const moved = socket.bytesRead - body.read;
    body.read = socket.bytesRead;
    if (req.readableLength > 0) body.endsAt = Math.max(body.endsAt, at + limits.stallMs); // we do not read
    body.endsAt = Math.min(body.endsAt + (moved * 1_000) / limits.bytesPerSecond, at + 2 * limits.stallMs);
    return at > body.endsAt;
  }

  function isAnswerStalled({ socket, answer }: Connection, { res, sentBefore }: Exchange, at: number): boolean {
    const [sent, queued] = [socket.bytesWritten - socket.writableLength, queuedBytes(socket)];
    const isMoving = sent > answer.sent || queued < answer.queued || (socket.writableLength === 0 && queued === 0);
    Object.assign(answer, { sent, queued, ...(isMoving && { movedAt: at }) });
    const patience = PAUSABLE.test(String(res.getHeader('Content-Type') ?? ''))
      ? limits.pauseMs
      : Math.min(limits.pauseMs, limits.stallMs + (sent - sentBefore) * MS_PER_BYTE);
    return at - answer.movedAt > patience;
  }

  /** In words, where the answer has not begun. */
  function refuse({ socket, current }: Connection, status: number): void {
    if (!socket.writable || current?.res.headersSent) return void socket.destroy();
    const detail = DETAILS[status] ?? 'The request is malformed.';
    const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  }

  /** One request of a connection at a time, and others in between: a thousand may come in one piece. */
  function inTurn(app: RequestListener): RequestListener {
    return (req, res) => {
      const connection = open.get(req.socket);
      if (!connection) {
        if (!spare.has(req.socket) || !HEALTH.test(req.url ?? '')) return void req.socket.destroy();
        res.setHeader('Connection', 'close');
        return void app(req, res);
      }
      const run = (): void => {
        const { socket } = connection;
        const at = now();
        connection.hasAsked = true;
        const sentBefore = socket.bytesWritten - socket.writableLength;
        const exchange: Exchange = { req, res, sentBefore, isAnswered: false };
        connection.current = exchange;
        connection.body = { read: socket.bytesRead, endsAt: at + limits.stallMs };
        connection.answer = { sent: 0, queued: 0, movedAt: at };
        res.setMaxListeners(MOST_LISTENERS);
        res.once('close', () => {
          if (socket.destroyed) connection.waiting.length = 0;
          const next = connection.waiting.shift();
          if (next) setImmediate(next);
          else if (req.complete || req.destroyed) connection.current = undefined;
          else {
            exchange.isAnswered = true;
            req.once('close', () => connection.current === exchange && (connection.current = undefined));
          }
        });
        app(req, res);
      };
      if (!connection.current || connection.current.isAnswered) return run();
      connection.waiting.push(run);
      if (connection.waiting.length <= limits.pipelined) return;
      endParser(req.socket);
      req.socket.destroy();
    };
  }

  return {
    limits,
    inTurn,

    watch(server: Server): void {
      server.on('connection', enter);
      server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
        const connection = open.get(socket);
        if (!connection || error.code === 'ECONNRESET') return void socket.destroy();
        refuse(connection, STATUSES[error.code ?? ''] ?? 400);
      });
    },

    end: (): void => clearInterval(timer),
  };
}

const STATUSES: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};
const DETAILS: Record<number, string> = {
  408: 'The request did not come whole in time.',
  413: 'The request is too large.',
  431: 'The address and the headers of the request are too large.',
};

/**
 * Else Node still makes a request and an answer of each of up to 1,600 that came in the same piece, and an error of
 * each when the connection closes. 2 is its word for a request after which HTTP ends.
 */
function endParser(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => 2);
}

/** Of what was handed to the system, how much it has not taken yet; Node says so nowhere else. */
function queuedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle
    ? Number(handle.writeQueueSize)
    : 0;
}
