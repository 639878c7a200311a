// Decides which connections may stay open. A caller who sends half a request, or reads half a response, and then waits,
// must not keep others out. A caller who is merely slow (1 kB/s) must not be disconnected, nor one who has paused
// audio.
import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../http/addresses.ts';
import { bindContext } from '../runtime/bind-context.ts';

export interface ConnectionLimits {
  /** Maximum number of open connections. */
  total: number;
  /** Maximum number of connections from one address, except a trusted proxy. */
  perAddress: number;
  /** Time limit for the head of a request. */
  headMs: number;
  /** Time limit for a body of which nothing arrives, and for a response that is not read. */
  stallMs: number;
  /** Time limit for audio that is not read, because a person has paused it. */
  pauseMs: number;
  /** Minimum rate at which a body must arrive. */
  bytesPerSecond: number;
  /** Number of connections beyond the limits, for health requests only. */
  spare: number;
  spareMs: number;
  /** Maximum number of requests that wait on a connection for the request before them. */
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
 * Additional time for each byte of a response. Bytes that were sent may be in buffers of the system, which this process
 * cannot observe; at 1 kB/s each takes a millisecond.
 */
const MS_PER_BYTE = 1;
/** Paths of health requests, the only ones that a spare connection may make. */
const HEALTH_PATH = /^\/(?:api\/v1\/)?health(?:\?|$)/;
/**
 * About a dozen listeners wait for the end of a response (the log, limits, streams), and none of them leaks. Node would
 * warn from 11 on.
 */
const MAX_LISTENERS = 20;
const PAUSABLE_TYPE = /^(audio|video)\//;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  sentBefore: number;
  /**
   * Whether the response was sent before the whole body had arrived: the rest of the body may follow, and then the next
   * request.
   */
  isAnswered: boolean;
}
interface Connection {
  socket: Socket;
  address: string;
  openedAt: number;
  hasAsked: boolean;
  current: Exchange | undefined;
  waitingRequests: (() => void)[];
  body: { bytesRead: number; endsAt: number };
  answer: { sentBytes: number; unsentBytes: number; movedAt: number };
}

interface ConnectionDeps {
  limits?: Partial<ConnectionLimits> | undefined;
  isProxy: (address: string | undefined) => boolean;
  now?: () => number;
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections(deps: ConnectionDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { watch, end }),
    limits: context.limits,
    inTurn: (app: RequestListener) => serveInOrder(context, app),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ limits: givenLimits, isProxy, now = () => performance.now() }: ConnectionDeps) {
  const limits = { ...CONNECTION_LIMITS, ...givenLimits };
  const openConnections = new Map<Socket, Connection>();
  const byAddress = new Map<string, Set<Connection>>();
  /** Connections beyond the limits, for health requests. A new one replaces the oldest. */
  const spare = new Set<Socket>();
  return { isProxy, now, limits, openConnections, byAddress, spare, timer: undefined as NodeJS.Timeout | undefined };
}

function addConnection(context: Context, socket: Socket): void {
  const address = addressKey(socket.remoteAddress);
  const sameAddress = context.byAddress.get(address) ?? new Set();
  const isFull = sameAddress.size >= context.limits.perAddress && !context.isProxy(socket.remoteAddress);
  if (
    (isFull && !closeLongestIdle(context, sameAddress)) ||
    (context.openConnections.size >= context.limits.total &&
      !closeLongestIdle(context, context.openConnections.values()))
  ) {
    addSpareConnection(context, socket);
    return;
  }
  const time = context.now();
  const connection: Connection = {
    socket,
    address,
    openedAt: time,
    hasAsked: false,
    current: undefined,
    waitingRequests: [],
    body: { bytesRead: 0, endsAt: time + context.limits.stallMs },
    answer: { sentBytes: 0, unsentBytes: 0, movedAt: time },
  };
  context.openConnections.set(socket, connection);
  context.byAddress.set(address, sameAddress.add(connection));
  socket.once('close', () => removeConnection(context, connection));
  context.timer ??= setInterval(() => closeStalled(context), context.limits.checkMs).unref();
}

/** Accepts a connection beyond the limits, because a monitor must be able to request the server's health. */
function addSpareConnection(context: Context, socket: Socket): void {
  const [oldest] = context.spare;
  if (oldest && context.spare.size >= context.limits.spare) {
    context.spare.delete(oldest);
    oldest.destroy();
  }
  context.spare.add(socket);
  const timeout = setTimeout(() => socket.destroy(), context.limits.spareMs).unref();
  socket.once('close', () => {
    clearTimeout(timeout);
    context.spare.delete(socket);
  });
}

function removeConnection(context: Context, connection: Connection): void {
  context.openConnections.delete(connection.socket);
  const sameAddress = context.byAddress.get(connection.address);
  sameAddress?.delete(connection);
  if (sameAddress?.size === 0) context.byAddress.delete(connection.address);
}

/** Closes the connection that has been idle for the longest time; returns false when all are busy. */
function closeLongestIdle(context: Context, connections: Iterable<Connection>): boolean {
  let longestIdle: Connection | undefined;
  for (const connection of connections) {
    if (connection.current || connection.socket.destroyed) continue;
    if (
      !longestIdle ||
      (connection.hasAsked === longestIdle.hasAsked ? connection.openedAt < longestIdle.openedAt : longestIdle.hasAsked)
    )
      longestIdle = connection;
  }
  if (longestIdle) {
    removeConnection(context, longestIdle);
    longestIdle.socket.destroy();
  }
  return longestIdle !== undefined;
}

function closeStalled(context: Context): void {
  const time = context.now();
  for (const connection of context.openConnections.values()) {
    const { current } = connection;
    if (!current) continue;
    if (!current.req.complete && isBodyStalled(context, connection, current, time)) refuse(connection, 408);
    else if (isAnswerStalled(context, connection, current, time)) connection.socket.destroy();
  }
}

/**
 * Returns whether the body arrives too slowly. Each byte extends the time limit, so that a slow body, also one that
 * arrives in bursts, is not ended.
 */
function isBodyStalled(context: Context, { socket, body }: Connection, { req }: Exchange, time: number): boolean {
  const receivedBytes = socket.bytesRead - body.bytesRead;
  body.bytesRead = socket.bytesRead;
  // the body has arrived, but the server has not read it yet
  if (req.readableLength > 0) body.endsAt = Math.max(body.endsAt, time + context.limits.stallMs);
  body.endsAt = Math.min(
    body.endsAt + (receivedBytes * 1_000) / context.limits.bytesPerSecond,
    time + 2 * context.limits.stallMs,
  );
  return time > body.endsAt;
}

function isAnswerStalled(
  context: Context,
  { socket, answer }: Connection,
  { res, sentBefore }: Exchange,
  time: number,
): boolean {
  const [sent, queued] = [socket.bytesWritten - socket.writableLength, queuedBytes(socket)];
  const isMoving =
    sent > answer.sentBytes || queued < answer.unsentBytes || (socket.writableLength === 0 && queued === 0);
  Object.assign(answer, { sent, queued, ...(isMoving && { movedAt: time }) });
  const patience = PAUSABLE_TYPE.test(String(res.getHeader('Content-Type') ?? ''))
    ? context.limits.pauseMs
    : Math.min(context.limits.pauseMs, context.limits.stallMs + (sent - sentBefore) * MS_PER_BYTE);
  return time - answer.movedAt > patience;
}

/** Responds with a status and a sentence if the response has not begun, and closes the connection. */
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

/**
 * Serves the requests of a connection one after another. Requests of other connections are served in between: a
 * thousand requests may arrive in one piece.
 */
function serveInOrder(context: Context, app: RequestListener): RequestListener {
  return (req, res) => {
    const connection = context.openConnections.get(req.socket);
    if (!connection) {
      if (!context.spare.has(req.socket) || !HEALTH_PATH.test(req.url ?? '')) return void req.socket.destroy();
      res.setHeader('Connection', 'close');
      return void app(req, res);
    }
    const runNext = (): void => {
      const { socket } = connection;
      const time = context.now();
      connection.hasAsked = true;
      const sentBefore = socket.bytesWritten - socket.writableLength;
      const exchange: Exchange = { req, res, sentBefore, isAnswered: false };
      connection.current = exchange;
      connection.body = { bytesRead: socket.bytesRead, endsAt: time + context.limits.stallMs };
      connection.answer = { sentBytes: 0, unsentBytes: 0, movedAt: time };
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
    if (!connection.current || connection.current.isAnswered) return runNext();
    connection.waitingRequests.push(runNext);
    if (connection.waitingRequests.length <= context.limits.pipelined) return;
    endParser(req.socket);
    req.socket.destroy();
  };
}

function watch(context: Context, server: Server): void {
  server.on('connection', (socket) => addConnection(context, socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = context.openConnections.get(socket);
    if (!connection || error.code === 'ECONNRESET') return void socket.destroy();
    refuse(connection, STATUS_BY_ERROR[error.code ?? ''] ?? 400);
  });
}

const end = (context: Context): void => clearInterval(context.timer);

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
 * Stops Node's parser. It would create a request and a response for each of up to 1,600 requests that arrived in the
 * same piece, and an error for each when the connection closes. The value 2 tells Node that no HTTP follows this
 * request.
 */
function endParser(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => 2);
}

/** Returns the number of written bytes that the system has not taken yet; Node has no public API for that. */
function queuedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  return typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle
    ? Number(handle.writeQueueSize)
    : 0;
}
