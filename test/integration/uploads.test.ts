// Uploads over HTTP: streamed, identified by content, recognized again, rejected with a reason.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { UploadLimitsOut, UploadOut } from '../../server/uploads/wire.ts';
import { makeLibrary, type ExpectedFile, type Manifest } from '../support/library.ts';
import { openMusicFolder, type MusicFolder } from '../support/music-folder.ts';
import { retagMp3 } from '../support/retag.ts';
import { totalOf } from '../support/served-library.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

let base: string;
let manifest: Manifest;
let server: TestServer;
let clean: ExpectedFile[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-upload-'));
  manifest = makeLibrary({ tracks: 40, seed: 'upload', even: true }, join(base, 'music'));
  clean = manifest.files.filter((file) => !file.messy && !file.duplicateOf);
  server = await startServer({ env: { MAX_UPLOAD_BYTES: '2000000' } });
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const readFileBytes = (file: ExpectedFile): Buffer => readFileSync(join(manifest.dir, file.path));

function upload(...files: [name: string, bytes: Uint8Array][]): Promise<Answer<UploadOut>> {
  const form = new FormData();
  for (const [name, bytes] of files) form.append('files', new Blob([bytes as BlobPart]), name);
  return server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
}

/** Returns a file of the collection that was not uploaded yet. */
const takeCleanFile = (): ExpectedFile => clean.pop() as ExpectedFile;

test('a file becomes a track with its tags, and streams the same bytes', async () => {
  const file = takeCleanFile();
  const { status, body } = await upload(['whatever.bin', readFileBytes(file)]);
  expect(status).toBe(201);
  expect(body.items[0]).toMatchObject({
    title: file.tags?.title,
    album_title: file.tags?.album,
    format: file.format,
    source: 'upload',
    metadata_status: 'pending',
    availability: 'available',
  });
  const stream = await fetch(`${server.url}/stream/${body.items[0]?.id}?token=${server.token}`);
  expect(Buffer.from(await stream.arrayBuffer()).equals(readFileBytes(file))).toBe(true);
});

test('the same content again is the same track and answers 200', async () => {
  const bytes = readFileBytes(takeCleanFile());
  const firstResponse = await upload(['a.mp3', bytes]);
  const secondResponse = await upload(['b.flac', bytes]);
  expect([firstResponse.status, secondResponse.status]).toEqual([201, 200]);
  expect(secondResponse.body.items[0]?.id).toBe(firstResponse.body.items[0]?.id);
});

test('twenty uploads of the same file at once create one track', async () => {
  const bytes = readFileBytes(takeCleanFile());
  const previousTotal = await totalOf(server, '/tracks');
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(['same.mp3', bytes])));
  expect(new Set(answers.map((answer) => answer.body.items[0]?.id)).size).toBe(1);
  expect(await totalOf(server, '/tracks')).toBe(previousTotal + 1);
});

test('good and bad files of one request are separate', async () => {
  const { status, body } = await upload(
    ['good.mp3', readFileBytes(takeCleanFile())],
    ['notes.txt', Buffer.from('not music at all')],
    ['empty.mp3', Buffer.alloc(0)],
  );
  expect(status).toBe(201);
  expect(body.items).toHaveLength(1);
  expect(body.errors.map((error) => error.filename)).toEqual(['notes.txt', 'empty.mp3']);
  for (const { detail } of body.errors) expect(detail).toMatch(/^This is not readable audio: .+\.$/);
});

test('only bad files are 422 with each file; one that is too large is 413', async () => {
  const rejectedResponse = await upload(['a.txt', Buffer.from('x')], ['b.txt', Buffer.from('y')]);
  expect([rejectedResponse.status, rejectedResponse.headers.get('content-type')]).toEqual([
    422,
    'application/problem+json',
  ]);
  expect(
    (rejectedResponse.body as unknown as { errors: { field: string }[] }).errors.map((error) => error.field),
  ).toEqual(['a.txt', 'b.txt']);
  const large = await upload(['large.flac', Buffer.alloc(2_000_001)]);
  expect([large.status, large.text]).toEqual([413, expect.stringContaining('2000000 bytes')]);
});

test('the limits of an account are the largest file, and its quota', async () => {
  const token = await registerUser(server);
  const limitsOf = () => server.api<UploadLimitsOut>('/uploads/limits', { token });
  expect((await limitsOf()).body).toEqual({
    max_file_bytes: 2_000_000,
    quota: { bytes: 5_000_000_000, remaining_bytes: 5_000_000_000 },
  });
  const { body: user } = await server.api<UserOut>('/users/me', { token });
  await server.api(`/users/${user.id}`, { method: 'PATCH', body: { quota_bytes: 1_000_000 } });
  const bytes = readFileBytes(takeCleanFile());
  const form = new FormData();
  form.append('file', new Blob([bytes as BlobPart]), 'a.flac');
  await server.api('/tracks/upload', { method: 'POST', body: form, token });
  expect((await limitsOf()).body.quota).toEqual({ bytes: 1_000_000, remaining_bytes: 1_000_000 - bytes.length });
});

test.each([
  ['no body at all', {}, undefined, 415],
  ['JSON', { 'Content-Type': 'application/json' }, '{}', 415],
  ['multipart without a boundary', { 'Content-Type': 'multipart/form-data' }, 'x', 415],
  [
    'multipart without a file',
    { 'Content-Type': 'multipart/form-data; boundary=x' },
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
    400,
  ],
  [
    'multipart that ends too early',
    { 'Content-Type': 'multipart/form-data; boundary=x' },
    '--x\r\nContent-Disposition: form-data; name="files"; filename="a.mp3"\r\n\r\nabc',
    400,
  ],
])('%s is refused', async (_title, headers, body, status) => {
  const answer = await server.api('/tracks/upload', { method: 'POST', headers, ...(body !== undefined && { body }) });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
});

test('names with folders, control characters and quotes stay names', async () => {
  const { body, status } = await upload([
    '../../etc/\u0007pass"wd.mp3',
    readFileBytes(manifest.files.find((file) => file.format === 'wav') as ExpectedFile),
  ]);
  expect(status).toBeLessThan(300);
  expect(body.items[0]?.source_id).toMatch(/^[0-9a-f]{64}$/);
});

test('an upload that is cut off leaves nothing behind', async () => {
  const { port, hostname } = new URL(server.url);
  const previousTotal = await totalOf(server, '/tracks');
  const head = `--x\r\nContent-Disposition: form-data; name="files"; filename="a.mp3"\r\n\r\n`;
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST /api/v1/tracks/upload HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n${head}${'z'.repeat(50_000)}`,
    ),
  );
  await expect.poll(() => readdirSync(join(server.dir, 'tmp'))).not.toEqual([]);
  socket.destroy();
  await expect.poll(() => readdirSync(join(server.dir, 'tmp'))).toEqual([]);
  expect(await totalOf(server, '/tracks')).toBe(previousTotal);
});

describe('a file that a scan has indexed', () => {
  let music: MusicFolder;
  let file: ExpectedFile;
  let id: number;
  beforeAll(async () => {
    file = clean.splice(
      clean.findIndex(({ format }) => format === 'mp3'),
      1,
    )[0] as ExpectedFile;
    music = await openMusicFolder(join(base, 'indexed'), 'reference', manifest, {
      'a.mp3': file,
      'b.mp3': takeCleanFile(),
    });
    ({ id } = await music.track('a.mp3'));
  });
  afterAll(() => music.server.close());

  const send = (bytes: Buffer, token = music.server.token): Promise<Answer<TrackOut>> => {
    const form = new FormData();
    form.append('file', new Blob([bytes as BlobPart]), 'song.mp3');
    return music.server.api('/tracks/upload', { method: 'POST', body: form, token });
  };

  test('is its track when its bytes are uploaded, from its own source, and nothing is stored', async () => {
    const previousTrack = await music.track('a.mp3');
    const { status, body } = await send(readFileBytes(file));
    expect([status, body.id, body.source, body.storage_uri]).toEqual([
      200,
      id,
      previousTrack.source,
      previousTrack.storage_uri,
    ]);
    expect(await totalOf(music.server, '/tracks')).toBe(2);
    expect(existsSync(join(music.server.dir, 'library', 'audio'))).toBe(false);
  });

  test('is its track while large files are not hashed yet', async () => {
    music.server.app.db.$client.prepare('UPDATE tracks SET audio_hash = NULL WHERE id = ?').run(id);
    expect(await send(readFileBytes(file))).toMatchObject({ status: 200, body: { id } });
  });

  test('needs no quota', async () => {
    const token = await registerUser(music.server);
    const { body: user } = await music.server.api<UserOut>('/users/me', { token });
    await music.server.api(`/users/${user.id}`, { method: 'PATCH', body: { quota_bytes: 1 } });
    expect(await send(readFileBytes(file), token)).toMatchObject({ status: 200, body: { id } });
    expect((await send(readFileBytes(takeCleanFile()), token)).status).toBe(507);
  });

  test('is another track when its tags differ, or when its file cannot be read', async () => {
    const path = music.at('a.mp3');
    const bytes = readFileBytes(file);
    retagMp3(path, { TIT2: 'Another title' });
    expect(await send(bytes)).toMatchObject({ status: 201, body: { source: 'upload' } });
    rmSync(path);
    const b = readFileSync(music.at('b.mp3'));
    rmSync(music.at('b.mp3'));
    expect(await send(b)).toMatchObject({ status: 201, body: { source: 'upload' } });
    expect(await totalOf(music.server, '/tracks')).toBe(4);
  });
});
