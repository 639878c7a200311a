// Files that are made to exhaust whoever reads them, through every import: each is refused within its limit, with the
// place at which it was exceeded.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readListens } from '../../server/history/listens-file.ts';
import type { HistoryImportOut } from '../../server/history/wire.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let listener: string;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-imports-'));
  server = await startServer();
  listener = await registerUser(server);
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** More than every limit of a streamed text. */
const BYTES = 4 << 20;
const filled = (start: string, part: string): string => start + part.repeat(Math.ceil(BYTES / part.length));

describe('a listening history', () => {
  const FILES: [string, string, RegExp][] = [
    ['brackets', filled('{"listens":', '['), /^Line 1, character 61: brackets are nested more than 50 levels/],
    ['brackets and braces', filled('', '[{"a":'), /^Line 1, character \d+: brackets are nested more than 50 levels/],
    ['one text', filled('[\n{"a":"', 'x'), /^Line 2, character \d+: no play ends within the last 1048576 characters/],
    ['numbers', filled('[', '1,'), /^Line 1, character \d+: no play ends within the last 1048576 characters/],
    ['one row', filled('', 'a,'), /^Line 1: a row has more than 500 cells/],
    ['one cell', filled('artist,title,date\n"', 'a\n'), /^Line \d+: a row has more than 262144 characters/],
    [
      'one line',
      filled('{"listened_at":1700000000,"track_metadata":{"track_name":"A","artist_name":"B"}}\n', 'x'),
      /^Line 2: it has more than 262144 characters/,
    ],
  ];

  test.each(FILES)('of %s is refused with the place, and little of it is read', async (_what, text, error) => {
    const path = join(dir, 'history');
    writeFileSync(path, text);
    let bytesRead = 0;
    const read = async (): Promise<void> => {
      for await (const listen of readListens(path, (done) => (bytesRead = done)))
        expect(listen?.title ?? 'A').toBe('A');
    };
    await expect(read()).rejects.toThrow(error);
    expect(bytesRead).toBeLessThan(BYTES / 2);
  });

  test('says so to the account that sent it, while others are answered', async () => {
    const form = new FormData();
    form.append('file', new Blob([filled('{"listens":', '[')]), 'history.json');
    const sent = await server.api<HistoryImportOut>('/history/import', { method: 'POST', body: form, token: listener });
    expect(sent.status).toBe(202);
    expect((await server.api('/health')).status).toBe(200);
    await server.app.drain();
    const { body } = await server.api<HistoryImportOut>(`/history/imports/${sent.body.id}`, { token: listener });
    expect([body.status, body.error]).toEqual(['failed', expect.stringMatching(/^Line 1, character 61: brackets/)]);
  });
});
