// The built pages are served compressed if the browser accepts it, and cached forever if their name contains a hash.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webInterface } from '../../server/http/static-files.ts';

const SCRIPT_TEXT = 'export const answer = 42;\n'.repeat(100);

let dir: string;
let server: Server;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-static-'));
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Tonearm</title>');
  for (const name of ['page-a1.js', 'look-b2.css', 'plain-c3.js'])
    writeFileSync(join(dir, 'assets', name), SCRIPT_TEXT);
  for (const name of ['page-a1.js', 'look-b2.css']) {
    writeFileSync(join(dir, 'assets', `${name}.br`), brotliCompressSync(SCRIPT_TEXT));
    writeFileSync(join(dir, 'assets', `${name}.gz`), gzipSync(SCRIPT_TEXT));
  }
  server = express().use(webInterface(dir)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

async function getFile(
  path: string,
  acceptedEncodings?: string,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; bytes: Buffer }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        port: (server.address() as AddressInfo).port,
        path,
        agent: false,
        headers: { ...(acceptedEncodings !== undefined && { 'accept-encoding': acceptedEncodings }) },
      },
      resolve,
    )
      .once('error', reject)
      .end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

test.each([
  ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['br;q=0, gzip', 'gzip', gunzipSync],
  ['identity', undefined, (bytes: Buffer) => bytes],
  [undefined, undefined, (bytes: Buffer) => bytes],
] as const)('a browser that accepts %s gets a script as %s', async (acceptedEncodings, encoding, decode) => {
  const { status, headers, bytes } = await getFile('/assets/page-a1.js', acceptedEncodings);
  expect([status, headers['content-encoding'], headers['content-type'], headers['vary']]).toEqual([
    200,
    encoding,
    'text/javascript; charset=utf-8',
    'Accept-Encoding',
  ]);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(decode(bytes).toString()).toBe(SCRIPT_TEXT);
});

test('a style keeps its type, and a file that was not compressed is sent unchanged', async () => {
  const style = await getFile('/assets/look-b2.css', 'br');
  expect([style.headers['content-encoding'], style.headers['content-type']]).toEqual(['br', 'text/css; charset=utf-8']);
  const plainResponse = await getFile('/assets/plain-c3.js', 'br, gzip');
  expect([plainResponse.status, plainResponse.headers['content-encoding'], plainResponse.bytes.toString()]).toEqual([
    200,
    undefined,
    SCRIPT_TEXT,
  ]);
});

test('missing files, and files outside the folder, are not found', async () => {
  for (const path of ['/assets/none.js', '/assets/..%2findex.js', '/assets/', '/assets/%00.js'])
    expect((await getFile(path, 'br')).status, path).toBeGreaterThanOrEqual(400);
});
