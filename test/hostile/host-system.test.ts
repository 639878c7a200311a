// Tests what an administrator's browser, a file and a child process learn about the machine that the server runs on.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { downloads } from '../../server/db/schema.ts';
import type { UserId } from '../../server/db/ids.ts';
import { createToolFinder } from '../../server/media/tools.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

const onUnix = test.skipIf(process.platform === 'win32');

let dir: string;
let server: TestServer;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-host-'));
  mkdirSync(join(dir, 'data'));
  server = await startServer({ dir: join(dir, 'data') });
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const addMusicFolder = async (path: string): Promise<number> =>
  (await server.api('/music-folders', { method: 'POST', body: { name: path.slice(0, 50), path, mode: 'reference' } }))
    .status;

onUnix('no folder of the system, of programs or of the server becomes a music folder, by a link neither', async () => {
  for (const name of ['.ssh', 'music/.keys', 'music/deep', 'data/tmp-music'])
    mkdirSync(join(dir, name), { recursive: true });
  symlinkSync('/etc', join(dir, 'link'));
  symlinkSync(join(dir, '.ssh'), join(dir, 'music', 'keys'));
  const places = ['/', '/etc', '/proc', '/proc/self', '/sys', '/dev', '/usr', '/var', '/home', '/root', '/etc/../etc'];
  const ownFolders = ['link', '.ssh', 'music/.keys', 'music/keys', 'data', 'data/tmp-music', '.'].map((name) =>
    join(dir, name),
  );
  for (const path of [...places.filter(existsSync), ...ownFolders]) expect(await addMusicFolder(path), path).toBe(422);
  expect(await addMusicFolder(join(dir, 'music', 'deep'))).toBe(201);
});

onUnix('the choice of a folder shows no hidden one, asked by its path neither', async () => {
  const listFolders = (path: string) =>
    server.api<{ folders: { name: string }[] }>(`/server-folders?path=${encodeURIComponent(path)}`);
  mkdirSync(join(dir, '.ssh', 'keys'), { recursive: true });
  symlinkSync(join(dir, '.ssh'), join(dir, 'visible'));
  expect((await listFolders(dir)).body.folders.map(({ name }) => name)).not.toContain('.ssh');
  for (const name of ['.ssh', '.ssh/keys', 'visible'])
    expect((await listFolders(join(dir, name))).status, name).toBe(422);
});

test('a download is cancelled by whoever asked for it, and by administrators', async () => {
  const tokens = [await registerUser(server, 'ann'), await registerUser(server, 'bob')];
  const ann = (await server.api<UserOut>('/users/me', { token: tokens[0]! })).body;
  const createdAt = new Date();
  const row = {
    source: 'streamsrc',
    sourceId: 'archive:x',
    status: 'queued' as const,
    createdAt: createdAt,
    updatedAt: createdAt,
  };
  const { id } = server.app.db
    .insert(downloads)
    .values({ ...row, userId: ann.id as UserId })
    .returning({ id: downloads.id })
    .get();
  const cancel = async (token: string) => (await server.api(`/downloads/${id}`, { method: 'DELETE', token })).status;
  expect(await cancel(tokens[1]!)).toBe(403);
  expect([await cancel(tokens[0]!), await cancel(server.token)], 'allowed, though no job runs').toEqual([409, 409]);
});

onUnix('a program that is started gets no setting and no secret of the server', async () => {
  const program = join(dir, 'ffmpeg');
  writeFileSync(program, `#!/bin/sh\nenv > ${join(dir, 'environment')}\necho "ffmpeg version 7.0"\n`);
  chmodSync(program, 0o755);
  process.env['S3_SECRET_ACCESS_KEY'] = 'a secret of the server';
  try {
    await createToolFinder({ binDir: dir, env: { PATH: dir } })('ffmpeg');
  } finally {
    delete process.env['S3_SECRET_ACCESS_KEY'];
  }
  const environment = readFileSync(join(dir, 'environment'), 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain('S3_SECRET');
});
