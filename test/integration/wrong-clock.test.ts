// A start with a clock that is years ahead deletes nothing as too old: the trash, the history of edits and the sessions
// stay.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COVER_TASK } from '../../server/covers/tasks.ts';
import type { TrashPage } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { ADMIN, startServer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-clock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const isInTrash = async (server: TestServer, token: string): Promise<boolean> =>
  (await server.api<TrashPage>('/trash', { token })).body.total > 0;
const signIn = async (server: TestServer): Promise<string> =>
  (await server.api<{ access_token: string }>('/auth/login', { method: 'POST', token: null, body: ADMIN })).body
    .access_token;

test.each([
  ['two years ahead', 730, 0, true],
  ['right again after that', 0, 0, true],
  ['right, after the library rested for two years and ran for a day', 730, 1.1, false],
])('with a clock that is %s', async (_title, ahead, runs, isKept) => {
  const firstServer = await startServer({ dir });
  const id = trackMaker(firstServer.app).add({ title: 'Deleted' });
  expect((await firstServer.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  await firstServer.close();

  if (ahead === 0) await (await startServer({ dir, now: () => new Date(Date.now() + 730 * DAY_MS) })).close();
  let clock = Date.now() + ahead * DAY_MS;
  const secondServer = await startServer({ dir, now: () => new Date(clock) });
  expect(await isInTrash(secondServer, await signIn(secondServer))).toBe(true);
  clock += runs * DAY_MS;
  const { trash, nowForAges } = secondServer.app;
  await trash.purgeOld(nowForAges());
  expect(await isInTrash(secondServer, await signIn(secondServer))).toBe(isKept);
  await secondServer.close();
});

test('with a wrong clock, however often it is started and somebody signs in, nothing is deleted until a person says that the clock is right', async () => {
  const firstServer = await startServer({ dir });
  const id = trackMaker(firstServer.app).add({ title: 'Deleted' });
  expect((await firstServer.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  await firstServer.close();

  const now = (): Date => new Date(Date.now() + 730 * DAY_MS);
  for (let starts = 0; starts < 3; starts++) {
    const wrongClockServer = await startServer({ dir, now });
    const token = await signIn(wrongClockServer);
    await wrongClockServer.app.trash.purgeOld(wrongClockServer.app.nowForAges());
    expect(await isInTrash(wrongClockServer, token)).toBe(true);
    expect((await wrongClockServer.api<{ problems: string[] }>('/health')).body.problems).toEqual(['clock_doubted']);
    await wrongClockServer.close();
  }

  const lastServer = await startServer({ dir, now });
  expect((await lastServer.api('/status/clock', { method: 'POST', token: await signIn(lastServer) })).status).toBe(204);
  expect((await lastServer.api<{ problems: string[] }>('/health')).body.problems).toEqual([]);
  await lastServer.app.trash.purgeOld(lastServer.app.nowForAges());
  expect(await isInTrash(lastServer, await signIn(lastServer))).toBe(false);
  await lastServer.close();
});

test('a damaged clock.json is told, and the newest row counts', async () => {
  await (await startServer({ dir })).close();
  const file = join(dir, 'clock.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ doubted_ms: null });
  writeFileSync(file, '{"time":');
  const secondServer = await startServer({ dir });
  expect((await secondServer.api('/health')).body).toMatchObject({ status: 'ok' });
  await secondServer.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ doubted_ms: null });
});

test('what was put off while the clock was ahead is done when it is right again', async () => {
  await (await startServer({ dir })).close();
  const wrongClockServer = await startServer({ dir, now: () => new Date(Date.now() + 730 * DAY_MS) });
  const { id } = await wrongClockServer.app.jobs.enqueue(COVER_TASK, {});
  // simulates a stopped job
  wrongClockServer.app.db.$client.prepare("UPDATE jobs SET status = 'queued' WHERE id = ?").run(id);
  await wrongClockServer.close();
  const correctServer = await startServer({ dir });
  await correctServer.app.trash.purgeOld(correctServer.app.nowForAges());
  await correctServer.app.drain();
  const { body } = await correctServer.api<{ status: string }>(`/jobs/${id}`, { token: await signIn(correctServer) });
  expect(body.status).toBe('succeeded');
  await correctServer.close();
});
