// Multipart forms that no correct client sends. Each gets a response; nothing crashes the process, stays open or on
// disk.
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AppError, messageOf } from '../../server/errors.ts';
import { readForm, type FormOptions } from '../../server/http/multipart.ts';
import { toProblem } from '../../server/http/problem.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { damageBytes, randomNumbers } from '../support/damage.ts';
import { holdLimit } from '../support/held-limit.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { turns } from '../support/until.ts';

const MULTIPART = 'multipart/form-data; boundary=x';
const FORM_END = '--x--\r\n';
const STALL_MS = 600_001;
/** A timeout that no other socket has, so that the sockets of one request can be counted. */
const HELD_MS = 600_002;

const filePart = (body: string | Buffer, { name = 'files', filename = 'a.mp3', headers = '' } = {}): Buffer =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n${headers}\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
const fieldPart = (name: string, value: string): Buffer =>
  Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
const form = (...parts: (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

interface ReadPart {
  field: string;
  filename: string;
  bytes: number;
}

describe('the reader of forms', () => {
  let server: Server;
  let port: number;
  let options: FormOptions;
  let onPart: Parameters<typeof readForm>[2];
  let seenRequests: ReadPart[];
  const keepAll: typeof onPart = async ({ field, filename, chunks }) => {
    let bytes = 0;
    for await (const chunk of chunks) bytes += chunk.length;
    seenRequests.push({ field, filename, bytes });
  };

  beforeAll(async () => {
    server = createServer((req, res) => {
      readForm(req, options, onPart).then(
        () => res.end('read'),
        (error: unknown) => {
          res.statusCode = toProblem(error).problem.status;
          res.end(messageOf(error));
        },
      );
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    ({ port } = server.address() as AddressInfo);
  });
  beforeAll(reset);
  afterEach(reset);
  afterAll(() => {
    server.close();
  });
  function reset(): void {
    options = { files: 5, fileBytes: 100_000, tooLarge: 'The file is too large.', stallMs: STALL_MS };
    onPart = keepAll;
    seenRequests = [];
  }

  const send = async (body: Buffer | string, contentType = MULTIPART): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body: new Uint8Array(Buffer.from(body)),
    });
    return [response.status, await response.text()];
  };

  test('passes each file with its field, in order', async () => {
    expect(
      await send(
        form(
          filePart('one'),
          fieldPart('note', 'x'),
          filePart('three!', { name: 'other', filename: 'b.flac' }),
          FORM_END,
        ),
      ),
    ).toEqual([200, 'read']);
    expect(seenRequests).toEqual([
      { field: 'files', filename: 'a.mp3', bytes: 3 },
      { field: 'other', filename: 'b.flac', bytes: 6 },
    ]);
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\music\\\\a.mp3', 'a.mp3'],
    ['a\u0001b\u007fc.mp3', 'abc.mp3'],
    ['\u202egnp.exe\u2066.mp3', 'gnp.exe.mp3'],
    ['', 'unnamed'],
    ['..', 'unnamed'],
    ['  ', 'unnamed'],
    ['<script>alert(1)<script>', '<script>alert(1)<script>'],
  ])('a file named %j becomes %j', async (sentName, name) => {
    await send(form(filePart('x', { filename: sentName }), FORM_END));
    expect(seenRequests.map((file) => file.filename)).toEqual([name]);
  });

  test('a long name is truncated, but not within a character', async () => {
    await send(form(filePart('x', { filename: `${'a'.repeat(254)}\u{1f3b5}.mp3` }), FORM_END));
    expect(seenRequests[0]?.filename).toBe(`${'a'.repeat(254)}\ufffd`);
  });

  const malformed = [400, 'The form is malformed or ends too early.'];
  test.each<[string, Buffer | string, unknown]>([
    ['no terminator', filePart('abc'), malformed],
    ['nothing at all', '', malformed],
    ['the wrong boundary', form(filePart('abc').toString().replaceAll('--x', '--y'), '--y--\r\n'), malformed],
    ['half a header', '--x\r\nContent-Dispo', malformed],
    [
      'a header without an end',
      form('--x\r\nContent-Disposition: form-data; name="files"; filename="a"', FORM_END),
      malformed,
    ],
    ['a part without a header', form('--x\r\n\r\nbody\r\n', FORM_END), [200, 'read']],
    ['an invalid disposition', form('--x\r\nContent-Disposition: ;;;=;"\r\n\r\nbody\r\n', FORM_END), [200, 'read']],
    [
      'a megabyte of header',
      form(filePart('abc', { headers: `X-A: ${'a'.repeat(1 << 20)}\r\n` }), FORM_END),
      [200, 'read'],
    ],
    ['10,000 headers', form(filePart('abc', { headers: 'X-A: b\r\n'.repeat(10_000) }), FORM_END), [200, 'read']],
    [
      'an unknown character set',
      form(
        '--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=klingon-8\r\n\r\n\xff\r\n',
        FORM_END,
      ),
      [200, 'read'],
    ],
    [
      'an encoded name that is broken',
      form('--x\r\nContent-Disposition: form-data; name="files"; filename*=utf-99\'\'%ff%fe\r\n\r\nabc\r\n', FORM_END),
      [200, 'read'],
    ],
    [
      'a form inside the form',
      form(
        '--x\r\nContent-Disposition: form-data; name="files"\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\nContent-Disposition: file; filename="a"\r\n\r\nabc\r\n--y--\r\n',
        FORM_END,
      ),
      [200, 'read'],
    ],
    ['bytes after the end', form(filePart('abc'), FORM_END, 'z'.repeat(100_000)), [200, 'read']],
    [
      '5,000 fields',
      form(...Array.from({ length: 5_000 }, (_, i) => fieldPart(`f${i}`, 'x')), FORM_END),
      [413, 'A form can have at most 5 files and 20 fields.'],
    ],
    [
      'one file too many',
      form(...Array.from({ length: 6 }, () => filePart('abc')), FORM_END),
      [413, 'A form can have at most 5 files and 20 fields.'],
    ],
    ['a file that is too large', form(filePart('z'.repeat(100_001)), FORM_END), [413, 'The file is too large.']],
  ])('answers a form with %s', async (_title, body, expectedAnswer) => {
    expect(await send(body)).toEqual(expectedAnswer);
  });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data', 415],
    ['multipart/mixed; boundary=x', 415],
    ['multipart/form-data; x=y', 400],
    ['multipart/form-data; boundary', 400],
    ['multipart/form-data; boundary=', 400],
    ['multipart/form-data; boundary=another', 400],
  ])('rejects the content type %s', async (contentType, status) => {
    expect((await send(form(filePart('abc'), FORM_END), contentType))[0]).toBe(status);
  });

  test('1,000 damaged forms are each answered', async () => {
    const randomBelow = randomNumbers(7);
    const validForm = form(
      fieldPart('note', 'text'),
      filePart(Buffer.alloc(3_000, 'abc\r\n--x')),
      filePart('x'.repeat(500), {
        headers: 'Content-Type: audio/mpeg; charset="utf-8"\r\nContent-Transfer-Encoding: base64\r\n',
      }),
      FORM_END,
    );
    const statuses = new Set<number>();
    for (let n = 0; n < 1_000; n++) statuses.add((await send(damageBytes(validForm, randomBelow)))[0]);
    expect([...statuses].filter((status) => ![200, 400, 413].includes(status))).toEqual([]);
  });

  test('a file whose reader stops early or never starts does not block the next', async () => {
    onPart = async (file) => {
      if (seenRequests.length > 0) return keepAll(file);
      seenRequests.push({ field: file.field, filename: file.filename, bytes: -1 });
      for await (const _ of file.chunks) return;
    };
    expect(await send(form(filePart('z'.repeat(90_000)), filePart('z'.repeat(90_000)), FORM_END))).toEqual([
      200,
      'read',
    ]);
    expect(seenRequests.map((file) => file.bytes)).toEqual([-1, 90_000]);
    onPart = () => Promise.resolve();
    expect(await send(form(filePart('z'.repeat(90_000)), filePart('z'.repeat(90_000)), FORM_END))).toEqual([
      200,
      'read',
    ]);
  });

  test('an error of the handler rejects the form, and the files after it are not read', async () => {
    onPart = async (file) => {
      await keepAll(file);
      throw new AppError('storage_full', 'The disk is full.');
    };
    expect(await send(form(filePart('abc'), filePart('def'), FORM_END))).toEqual([507, 'The disk is full.']);
    expect(seenRequests).toHaveLength(1);
  });

  test('small files wait on the network, not in memory', async () => {
    options = { ...options, files: 1_000 };
    const beforeHandler = Promise.withResolvers<void>();
    let turnCount = 0;
    onPart = async (file) => {
      if (++turnCount === 1) await beforeHandler.promise;
      return keepAll(file);
    };
    const sending = sendRaw(port, [head(50_000_000)]);
    const socket = await sending.socket;
    const part = filePart('z'.repeat(60_000));
    let writtenBytes = 0;
    while (socket.write(part) && writtenBytes < 800) writtenBytes++;
    await expect.poll(() => turnCount).toBe(1);
    for (; writtenBytes < 800 && socket.writableLength < 4_000_000; writtenBytes++) socket.write(part);
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(30_000_000);
    socket.destroy();
    beforeHandler.resolve();
    await expect.poll(() => turnCount).toBe(1); // no other timer is started for a client that disconnected
  });

  test('a client that stops sending is disconnected', async () => {
    options = { ...options, stallMs: HELD_MS };
    const limit = holdLimit(HELD_MS);
    onTestFinished(limit.release);
    const { answer } = sendRaw(port, [head(1_000_000), filePart('abc')]);
    await limit.runOut();
    expect(await answer).toMatch(/^HTTP\/1\.1 400 .*The upload timed out: no data arrived\.$/s);
  });

  test('a slow client is waited for while it sends, and slow processing does not count', async () => {
    const limit = holdLimit(HELD_MS);
    onTestFinished(limit.release);
    options = { ...options, stallMs: HELD_MS };
    const slowHandler = Promise.withResolvers<void>();
    let turnCount = 0;
    onPart = async (file) => {
      if (++turnCount === 2) await slowHandler.promise;
      await keepAll(file);
    };
    const body = form(filePart('a'.repeat(80_000)), filePart('b'.repeat(80_000)), FORM_END);
    const { socket, answer } = sendRaw(port, [head(body.length)]);
    for (let offset = 0; offset < 80_000; offset += 20_000) {
      const startedBefore = limit.startedCount();
      (await socket).write(body.subarray(offset, offset + 20_000));
      // each piece restarts the time limit
      await expect.poll(() => limit.startedCount() > startedBefore && limit.running()).toBe(1);
    }
    (await socket).write(body.subarray(80_000));
    await expect.poll(() => [turnCount, limit.running()]).toEqual([2, 0]);
    slowHandler.resolve();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 .*read$/s);
  });

  const head = (length: number): string =>
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${length}\r\n\r\n`;
});

/** Writes raw bytes; `answer` is all that was received until the connection ended. */
function sendRaw(port: number, parts: (string | Buffer)[]): { socket: Promise<Socket>; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [headers = '', body] = text.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(headers)?.[1];
      if (length !== undefined && Buffer.byteLength(body ?? '') >= Number(length)) resolve(text);
    });
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
  const whenConnected = new Promise<Socket>((resolve) => {
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
      resolve(socket);
    });
  });
  return { socket: whenConnected, answer };
}

describe('uploads that are cut off', () => {
  let server: TestServer;
  let port: number;
  beforeAll(async () => {
    server = await startServer({ env: { MAX_UPLOAD_BYTES: '2000000' } });
    port = Number(new URL(server.url).port);
  });
  afterAll(() => server.close());

  const openFiles = (): string[] => ['tmp', 'library'].flatMap((folder) => openFilesBelow(join(server.dir, folder)));
  const request = (path: string, length: number, method = 'POST', type = MULTIPART): string =>
    `${method} /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

  test('whenever a client disconnects, nothing stays open or on disk, and the next upload works', async () => {
    const validResponse = await server.api('/tracks/upload', {
      method: 'POST',
      headers: { 'Content-Type': MULTIPART },
      body: form(filePart(silentMp3(50)), FORM_END),
    });
    expect(validResponse.status).toBe(201);
    const files = form(filePart(silentMp3(2_000)), fieldPart('a', 'b'), filePart(silentMp3(1_000)), FORM_END);
    for (const [path, method, type, body] of [
      ['/tracks/upload', 'POST', MULTIPART, files],
      ['/tracks/upload', 'POST', 'audio/mpeg', silentMp3(3_000)],
      ['/albums/1/cover', 'PUT', MULTIPART, files],
    ] as const) {
      for (let cut = 0; cut < 30; cut++) {
        const { socket, answer } = sendRaw(port, [
          request(path, body.length, method, type),
          body.subarray(0, Math.floor((body.length * cut) / 30)),
        ]);
        if (cut % 3 === 0) (await socket).pause(); // the client reads no response
        if (cut % 2 === 0) await turns(cut); // the server is reading a part of the body at this moment
        (await socket).destroy();
        await answer;
      }
    }
    await expect.poll(() => readdirSync(join(server.dir, 'tmp'))).toEqual([]);
    await expect.poll(openFiles).toEqual([]);
    expect(readdirSync(join(server.dir, 'library', 'tmp'))).toEqual([]);
    expect(
      (
        await server.api('/tracks/upload', {
          method: 'POST',
          headers: { 'Content-Type': MULTIPART },
          body: form(filePart(silentMp3(51)), FORM_END),
        })
      ).status,
    ).toBe(201);
  });

  test('a body that is one file has the same limits', async () => {
    const send = (body: Buffer) =>
      server.api<{ detail: string }>('/tracks', { method: 'POST', headers: { 'Content-Type': 'audio/mpeg' }, body });
    const largeResponse = await send(silentMp3(6_000));
    expect([largeResponse.status, largeResponse.body.detail]).toEqual([
      413,
      expect.stringContaining('MAX_UPLOAD_BYTES'),
    ]);
    const limit = holdLimit(60_000);
    onTestFinished(limit.release);
    const { answer } = sendRaw(port, [request('/tracks', 100_000, 'POST', 'audio/mpeg'), silentMp3(10)]);
    await limit.runOut();
    expect(await answer).toMatch(/^HTTP\/1\.1 422 .*The upload timed out: no data arrived\./s);
    expect(readdirSync(join(server.dir, 'tmp'))).toEqual([]);
  });

  test('a file in any field is taken; one in the field `file` is answered with its track', async () => {
    const send = (body: Buffer) =>
      server.api<{ format?: string; items?: unknown[]; errors: unknown[] }>('/tracks/upload', {
        method: 'POST',
        headers: { 'Content-Type': MULTIPART },
        body,
      });
    const singleResponse = await send(form(filePart(silentMp3(52), { name: 'file' }), FORM_END));
    expect([singleResponse.status, singleResponse.body.format]).toEqual([201, 'mp3']);
    const doubleResponse = await send(
      form(filePart(silentMp3(53), { name: 'file', filename: 'b.mp3' }), filePart(silentMp3(54)), FORM_END),
    );
    expect([doubleResponse.status, doubleResponse.body.items?.length, doubleResponse.body.errors]).toEqual([
      201,
      2,
      [],
    ]);
  });
});
