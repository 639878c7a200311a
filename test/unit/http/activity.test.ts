// A request counts as use of the server for a second, a stream as long as it runs.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createActivity } from '../../../server/http/activity.ts';
import { until } from '../../support/until.ts';

const HOUR_MS = 3_600_000;

let nowMs: number;
let activity: ReturnType<typeof createActivity>;
let server: ReturnType<typeof createServer>;
let answers: ServerResponse[];
beforeEach(async () => {
  nowMs = HOUR_MS;
  answers = [];
  activity = createActivity({ now: () => new Date(nowMs) });
  const app = express()
    .use(activity.trackRequests)
    .use((_req, res) => {
      res.write('the first bytes');
      answers.push(res);
    });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function open(path: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ host: '127.0.0.1', port, path }), 'response')) as [IncomingMessage];
  return response.resume();
}

test('a stream counts as use as long as it runs', async () => {
  expect(activity.isInUse()).toBe(false);
  await open('/api/v1/tracks/1/stream');
  nowMs += HOUR_MS;
  expect([activity.isInUse(), activity.isServing()]).toEqual([true, false]);
  answers[0]?.end();
  await until(() => !activity.isInUse());
});

test('the stream of a paused player does not count as use until the player resumes', async () => {
  await open('/api/v1/stream/1');
  nowMs += HOUR_MS;
  expect(activity.isInUse()).toBe(true);
  nowMs += HOUR_MS;
  expect(activity.isInUse()).toBe(false);
  answers[0]?.write('more bytes');
  await until(() => activity.isInUse());
});

test('a stream whose listener has disconnected no longer counts as use', async () => {
  const response = await open('/rest/stream');
  nowMs += HOUR_MS;
  expect(activity.isInUse()).toBe(true);
  response.destroy();
  await until(() => !activity.isInUse());
});

test.each(['/api/v1/events', '/api/v1/jobs/7'])(
  '%s, which every window has open, does not count as use',
  async (path) => {
    await open(path);
    nowMs += HOUR_MS;
    expect(activity.isInUse()).toBe(false);
  },
);
