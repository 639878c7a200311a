// GET /events: server-sent events, for a browser's EventSource.
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { UserId } from '../db/ids.ts';
import type { Authenticate } from '../http/mount.ts';
import { route, type Principal, type Route } from '../http/route.ts';
import type { EventKind } from './event.ts';
import type { EventHub, SentEvent } from './hub.ts';

const MAX_CONNECTIONS = 20; // per user
const MAX_BUFFERED_BYTES = 1_048_576; // a listener that has not read more than this is disconnected
const HEARTBEAT_MS = 25_000; // proxies close idle connections after 30 to 60 s
const RETRY_MS = 2_000; // the time after which a browser reconnects

interface EventRoutesDeps {
  events: EventHub;
  /** All kinds of events, for the API's documentation. */
  kinds: readonly EventKind[];
  /** Authenticates the request, and again at each heartbeat, because a connection may last longer than its token. */
  authenticate: Authenticate;
  heartbeatMs?: number;
}

const EventQuery = z.object({
  last_event_id: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'id of the last event seen; the header Last-Event-ID wins' }),
});

export function eventRoutes({ events, kinds, authenticate, heartbeatMs = HEARTBEAT_MS }: EventRoutesDeps): Route[] {
  const connections = new Map<UserId, number>();

  return [
    route(
      {
        method: 'get',
        path: '/events',
        access: 'stream',
        scope: 'events',
        query: EventQuery,
        produces: ['text/event-stream'],
        summary: `Server-sent events: ${kinds.map(({ name }) => name).join(', ')}; resumes with Last-Event-ID`,
      },
      ({ user, query, req, res }) => {
        const openCount = connections.get(user.id) ?? 0;
        if (openCount >= MAX_CONNECTIONS)
          throw new AppError(
            'too_many_requests',
            `This account has ${openCount} open event streams. Close some windows.`,
          );

        const stream = openStream(res);
        if (req.method === 'HEAD') return stream.end();
        const unsubscribe = events.subscribe(
          user,
          req.get('Last-Event-ID') ?? query.last_event_id,
          stream.send,
          stream.end,
        );
        stream.begin();
        const heartbeat = setInterval(
          () => (isStillAllowed(user, req) ? stream.beat() : stream.end()),
          heartbeatMs,
        ).unref();

        connections.set(user.id, openCount + 1);
        res.once('close', () => {
          unsubscribe();
          clearInterval(heartbeat);
          const remaining = (connections.get(user.id) ?? 1) - 1;
          if (remaining > 0) connections.set(user.id, remaining);
          else connections.delete(user.id);
        });
      },
    ),
  ];

  function isStillAllowed(user: Principal, req: Request): boolean {
    try {
      const currentUser = authenticate(req, { query: true, scope: 'events' });
      return currentUser?.id === user.id && currentUser.isSuperuser === user.isSuperuser;
    } catch {
      return false; // the database cannot be read: the listener is disconnected, reconnects and gets the error
    }
  }
}

/**
 * Returns functions that write to the stream. Headers are sent with the first write, so that an error before it can
 * still be an HTTP error.
 */
function openStream(res: Response) {
  res.status(200).set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no', // keeps nginx from buffering the events
  });
  res.socket?.setNoDelay(true);
  const write = (text: string): void => {
    if (res.writableEnded || res.destroyed) return;
    res.write(text);
    // the disconnected listener can reconnect with its Last-Event-ID
    if (res.writableLength > MAX_BUFFERED_BYTES) res.destroy();
  };
  return {
    begin: () => write(`retry: ${RETRY_MS}\n\n`),
    send: ({ id, name, data }: SentEvent) => write(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`),
    beat: () => write(':\n\n'),
    end: () => void res.end(),
  };
}
