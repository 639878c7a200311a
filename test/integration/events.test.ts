import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../server/db/ids.ts';
import { createEventHub, type EventHub } from '../../server/events/hub.ts';
import { eventRoutes } from '../../server/events/routes.ts';
import { nowPlayingEvent } from '../../server/history/events.ts';
import { errorHandler } from '../../server/http/problem.ts';
import { mountRoutes } from '../../server/http/mount.ts';
import type { Principal } from '../../server/http/route.ts';
import { jobEvent } from '../../server/jobs/wire.ts';
import { libraryEvent } from '../../server/library/wire.ts';
import { createLog } from '../../server/log/log.ts';
import { EVENTS, type EventMap } from '../../server/wire.ts';
import { principal } from '../support/principals.ts';

const BOOT = Date.UTC(2030, 0, 1);
const root = principal(1, 'root', true);
const anna = principal(2, 'anna');
const library = (version: number): EventMap['library'] => ({ version, tracks: version, albums: 0, artists: 0 });
const makeNowPlaying = (position_ms: number): EventMap['now_playing'] => ({ user_id: 2, track_id: 7, position_ms });

let events: EventHub;
let tokens: Map<string, Principal>;
let server: Server;
let base: string;

async function boot(options: { heartbeatMs?: number; capacity?: number; bootedAt?: number } = {}) {
  events = createEventHub({
    now: () => new Date(options.bootedAt ?? BOOT),
    capacity: options.capacity ?? 1_000,
  });
  events.summarizeWith(libraryEvent, () => library(99));
  const app = express();
  app.use(
    '/api/v1',
    mountRoutes(
      eventRoutes({
        events,
        kinds: EVENTS,
        ...(options.heartbeatMs !== undefined && { heartbeatMs: options.heartbeatMs }),
        authenticate: (req, { query }) =>
          tokens.get(
            req.get('Authorization')?.slice('Bearer '.length) ??
              (query ? (new URL(req.originalUrl, 'http://x').searchParams.get('token') ?? '') : ''),
          ),
      }),
      {
        authenticate: (req, { query }) =>
          tokens.get(query ? (new URL(req.originalUrl, 'http://x').searchParams.get('token') ?? '') : ''),
      },
    ),
  );
  app.use(errorHandler(createLog('silent')));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/events`;
}

interface ReceivedMessage {
  id?: number;
  event?: string;
  data?: unknown;
}

/** Opens a minimal EventSource, which reads messages one by one. */
async function listen(token: string, headers: Record<string, string> = {}, query = '') {
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${base}?token=${token}${query}`, { headers, agent: false }, resolve).on('error', reject);
  });
  res.on('error', () => {}); // a cut connection looks like the end of the stream
  async function* messages(): AsyncGenerator<ReceivedMessage> {
    let text = '';
    for await (const chunk of res.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      for (let separatorIndex = text.indexOf('\n\n'); separatorIndex >= 0; separatorIndex = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, separatorIndex)
            .split('\n')
            .map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
        );
        text = text.slice(separatorIndex + 2);
        if (fields['event'])
          yield { id: Number(fields['id']), event: fields['event'], data: JSON.parse(fields['data'] ?? '') };
        else yield {};
      }
    }
  }
  const allMessages = messages();
  return {
    res,
    /** Reads the next event, skipping heartbeats and the first line. */
    async next(): Promise<ReceivedMessage | undefined> {
      for (;;) {
        const { value, done } = await allMessages.next();
        if (done) return undefined;
        if (value.event) return value;
      }
    },
    /** Reads the next message of any kind. */
    async beat(): Promise<boolean> {
      return !(await allMessages.next()).done;
    },
    close: () => res.destroy(),
  };
}

beforeEach(() => {
  tokens = new Map([
    ['root', root],
    ['anna', anna],
  ]);
});
afterEach(async () => {
  events.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

describe('GET /events', () => {
  it('sends events as they happen, in order and with increasing ids', async () => {
    await boot();
    const anna = await listen('anna');
    expect(anna.res.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/) as string,
      'cache-control': 'no-store, no-transform',
    });
    await anna.beat();
    events.publish(libraryEvent, library(1));
    events.publish(libraryEvent, { ...library(2), tracks: 5 });
    expect(await anna.next()).toEqual({ id: BOOT * 1_000 + 1, event: 'library', data: library(1) });
    expect(await anna.next()).toEqual({ id: BOOT * 1_000 + 2, event: 'library', data: { ...library(2), tracks: 5 } });
  });

  it('sends each listener only events it may see', async () => {
    await boot();
    const [superuser, otherListener] = [await listen('root'), await listen('anna')];
    await superuser.beat();
    await otherListener.beat();
    events.publish(jobEvent, { id: 1 } as EventMap['job'], { audience: 'superuser' });
    events.publish(nowPlayingEvent, makeNowPlaying(1), { audience: { userId: 2 as UserId } });
    events.publish(libraryEvent, library(3));
    expect((await superuser.next())?.event).toBe('job');
    expect((await superuser.next())?.event).toBe('library');
    expect((await otherListener.next())?.event).toBe('now_playing');
    expect((await otherListener.next())?.event).toBe('library');
  });

  it('resumes after the last event seen, by header or by query', async () => {
    await boot();
    for (let n = 1; n <= 4; n++) events.publish(libraryEvent, library(n));
    // this event is never sent to anna
    events.publish(jobEvent, { id: 1 } as EventMap['job'], { audience: 'superuser' });
    events.publish(libraryEvent, library(5));
    for (const listener of [
      await listen('anna', { 'Last-Event-ID': String(BOOT * 1_000 + 3) }),
      await listen('anna', {}, `&last_event_id=${BOOT * 1_000 + 3}`),
    ]) {
      expect((await listener.next())?.data).toEqual(library(4));
      expect((await listener.next())?.data).toEqual(library(5));
      listener.close();
    }
    const upToDate = await listen('anna', { 'Last-Event-ID': String(BOOT * 1_000 + 6) });
    await upToDate.beat();
    events.publish(libraryEvent, library(7));
    expect((await upToDate.next())?.data).toEqual(library(7));
  });

  it.each([
    ['an earlier process', String((BOOT - 60_000) * 1_000 + 12)],
    ['the future', String((BOOT + 60_000) * 1_000)],
    ['somebody else', 'abc-1'],
  ])('answers an id of %s with one library event, and can resume after it', async (_name, id) => {
    await boot();
    for (let n = 1; n <= 5; n++) events.publish(libraryEvent, library(n));
    const listener = await listen('anna', { 'Last-Event-ID': id });
    const refresh = await listener.next();
    expect(refresh).toEqual({ id: BOOT * 1_000 + 5, event: 'library', data: library(99) });
    listener.close();
    events.publish(libraryEvent, library(6));
    const secondListener = await listen('anna', { 'Last-Event-ID': String(refresh?.id) });
    expect((await secondListener.next())?.data).toEqual(library(6));
  });

  it('answers an id that is no longer kept with one library event', async () => {
    await boot({ capacity: 3 });
    for (let n = 1; n <= 5; n++) events.publish(libraryEvent, library(n));
    expect((await (await listen('anna', { 'Last-Event-ID': String(BOOT * 1_000 + 1) })).next())?.data).toEqual(
      library(99),
    );
    expect((await (await listen('anna', { 'Last-Event-ID': String(BOOT * 1_000 + 2) })).next())?.data).toEqual(
      library(3),
    );
  });

  it('sends heartbeats while nothing happens', async () => {
    await boot({ heartbeatMs: 5 });
    const listener = await listen('anna');
    for (let n = 0; n < 4; n++) expect(await listener.beat()).toBe(true);
  });

  it('ends when its token has expired', async () => {
    await boot({ heartbeatMs: 5 });
    const listener = await listen('anna');
    await listener.beat();
    tokens.delete('anna');
    expect(await listener.next()).toBeUndefined();
  });

  it('refuses the twenty-first stream of a user until another is closed', async () => {
    await boot();
    const open = [];
    for (let n = 0; n < 20; n++) open.push(await listen('anna'));
    const refusedListener = await listen('anna');
    expect(refusedListener.res.statusCode).toBe(429);
    expect(refusedListener.res.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect((await listen('root')).res.statusCode).toBe(200);
    open[0]?.close();
    await expect
      .poll(async () => {
        const nextListener = await listen('anna');
        nextListener.close();
        return nextListener.res.statusCode;
      })
      .toBe(200);
  });

  it('disconnects a listener that does not read', async () => {
    await boot();
    const slowListener = await listen('anna');
    slowListener.res.pause();
    let isDropped = false;
    slowListener.res.once('close', () => {
      isDropped = true;
    });
    const sockets = () => new Promise<number>((resolve) => server.getConnections((_error, n) => resolve(n)));
    const largeEvent = { ...makeNowPlaying(1), padding: 'x'.repeat(100_000) };
    for (let n = 0; n < 2_000 && (await sockets()) > 0; n++) {
      events.publish(nowPlayingEvent, largeEvent);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await sockets()).toBe(0);
    slowListener.close();
    await expect.poll(() => isDropped).toBe(true);
  });

  it('ends every stream when the server stops, and accepts no more', async () => {
    await boot();
    const listener = await listen('anna');
    await listener.beat();
    events.close();
    expect(await listener.next()).toBeUndefined();
    expect((await listen('anna')).res.statusCode).toBe(503);
  });

  it('answers HEAD without staying open, and requires a token', async () => {
    await boot();
    expect((await fetch(`${base}?token=anna`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(base)).status).toBe(401);
  });
});
