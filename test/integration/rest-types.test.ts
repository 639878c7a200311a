// The windows' types of the REST API match its OpenAPI document, and the windows do not compile against different ones.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restTypes } from '../../scripts/rest-types.ts';
import type { OpenApiDocument } from '../../server/http/openapi.ts';
import { startServer, type TestServer } from '../support/server.ts';

const root = join(import.meta.dirname, '..', '..');
const TYPES_PATH = join('renderer', 'api', 'routes.ts');
const OXFMT_PATH = join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt');
const TSC_PATH = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const typesOf = (document: OpenApiDocument): string =>
  execFileSync(process.execPath, [OXFMT_PATH, '--stdin-filepath', TYPES_PATH], {
    cwd: root,
    input: restTypes(document),
    encoding: 'utf8',
  });

test('renderer/api/routes.ts is what the OpenAPI document says', async () => {
  await expect(typesOf(server.app.openApi())).toMatchFileSnapshot(join(root, TYPES_PATH));
});

test('a field with another name in a reply of the server does not compile in the windows', () => {
  const document = structuredClone(server.app.openApi());
  const { properties } = document.components.schemas['TrackOut'] as { properties: Record<string, unknown> };
  properties['headline'] = properties['title'];
  delete properties['title'];

  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const copy = mkdtempSync(join(cache, 'windows-'));
  try {
    for (const part of ['tsconfig.json', 'renderer', 'server', 'resources/languages'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    writeFileSync(join(copy, TYPES_PATH), typesOf(document));
    const { status, stdout } = spawnSync(process.execPath, [TSC_PATH, '-p', 'renderer', '--incremental', 'false'], {
      cwd: copy,
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stdout).toMatch(/renderer\/.*Property 'title' does not exist on type 'TrackOut'/);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
