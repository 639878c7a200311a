// A start with a clock that is years ahead takes nothing for old: the trash, the history of edits and the sign-ins stay.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COVER_TASK } from '../../server/covers/tasks.ts';
import type { TrashPage } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { ADMIN, startServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;
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
  const first = await startServer({ dir });
  const id = trackMaker(first.app).add({ title: 'Deleted' });
  expect((await first.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  await first.close();

  if (ahead === 0) await (await startServer({ dir, now: () => new Date(Date.now() + 730 * DAY) })).close();
  let clock = Date.now() + ahead * DAY;
  const second = await startServer({ dir, now: () => new Date(clock) });
  expect(await isInTrash(second, await signIn(second))).toBe(true);
  clock += runs * DAY;
  const { trash, nowForAges } = second.app;
  await trash.purgeOld(nowForAges());
  expect(await isInTrash(second, await signIn(second))).toBe(isKept);
  await second.close();
});

test('with a wrong clock, however often it is started and somebody signs in, nothing is deleted until a person says that the clock is right', async () => {
  const first = await startServer({ dir });
  const id = trackMaker(first.app).add({ title: 'Deleted' });
  expect((await first.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  await first.close();

  const now = (): Date => new Date(Date.now() + 730 * DAY);
  for (let starts = 0; starts < 3; starts++) {
    const wrong = await startServer({ dir, now });
    const token = await signIn(wrong);
    await wrong.app.trash.purgeOld(wrong.app.nowForAges());
    expect(await isInTrash(wrong, token)).toBe(true);
    expect((await wrong.api<{ problems: string[] }>('/health')).body.problems).toEqual(['clock_doubted']);
    await wrong.close();
  }

  const last = await startServer({ dir, now });
  expect((await last.api('/status/clock', { method: 'POST', token: await signIn(last) })).status).toBe(204);
  expect((await last.api<{ problems: string[] }>('/health')).body.problems).toEqual([]);
  await last.app.trash.purgeOld(last.app.nowForAges());
  expect(await isInTrash(last, await signIn(last))).toBe(false);
  await last.close();
});

test('a damaged clock.json is told, and the newest row counts', async () => {
  await (await startServer({ dir })).close();
  const file = join(dir, 'clock.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ doubted_ms: null });
  writeFileSync(file, '{"time":');
  const second = await startServer({ dir });
  expect((await second.api('/health')).body).toMatchObject({ status: 'ok' });
  await second.close();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ doubted_ms: null });
});

test('what was put off while the clock was ahead is done when it is right again', async () => {
  await (await startServer({ dir })).close();
  const wrong = await startServer({ dir, now: () => new Date(Date.now() + 730 * DAY) });
  const { id } = await wrong.app.jobs.enqueue(COVER_TASK, {});
  wrong.app.db.$client.prepare("UPDATE jobs SET status = 'queued' WHERE id = ?").run(id); // as if it was stopped
  await wrong.close();
  const correctServer = await startServer({ dir });
  await correctServer.app.trash.purgeOld(correctServer.app.nowForAges());
  await correctServer.app.drain();
  const { body } = await correctServer.api<{ status: string }>(`/jobs/${id}`, { token: await signIn(correctServer) });
  expect(body.status).toBe('succeeded');
  await correctServer.close();
});
