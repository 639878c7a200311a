// Runs the shell commands of docs/API.md.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { readSource } from '../support/manual.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

const curl = toolOrWarn('curl', 'the lines of docs/API.md are', '--version');
const [exampleLines = '', scanLine = ''] = [...readSource('docs/API.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
);

let dir: string;
let server: TestServer;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-api-'));
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: dir } });
  const title = id3([id3Frame('TIT2', utf8Text('A Song'))]);
  writeFileSync(join(dir, 'song.mp3'), Buffer.concat([title, silentMp3(60)]));
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs the lines in one shell; returns the output of each. */
async function runLines(script: string): Promise<string[]> {
  const linesWithMarkers = script
    .trim()
    .split('\n')
    .map((line) => `${line.replaceAll('http://127.0.0.1:4747', server.url)}\necho; echo ----`);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', linesWithMarkers.join('\n')], { cwd: dir });
  return stdout.split('----\n').map((text) => text.trim());
}

test.runIf(curl !== undefined)('the ten lines do what the document says', async () => {
  expect(exampleLines.trim().split('\n')).toHaveLength(10);
  const outputs = await runLines(exampleLines);
  const outputOfLine = (line: number): unknown => JSON.parse(outputs[line] ?? '');
  expect(outputOfLine(1)).toMatchObject({ token_type: 'bearer' });
  expect(outputOfLine(4)).toMatchObject({ id: 1, title: 'A Song', source: 'upload' });
  expect(outputOfLine(5)).toMatchObject({ total: 1, items: [{ id: 1 }] });
  expect(readFileSync(join(dir, 'part.mp3'))).toHaveLength(100);
  expect(outputOfLine(7)).toMatchObject({ name: 'Evening', track_count: 1 });
  expect(outputOfLine(8)).toMatchObject({ item_type: 'track', item_id: 1, liked: true });
  expect(outputOfLine(9)).toMatchObject({ track_id: 1, track: { id: 1 } });
  await server.app.drain();
});

test.runIf(curl !== undefined)('the line for administrators starts a scan', async () => {
  const line = scanLine
    .replaceAll('$AUTH', `Authorization: Bearer ${server.token}`)
    .replace('$API', `${server.url}/api/v1`);
  const [output = ''] = await runLines(line);
  expect(JSON.parse(output)).toMatchObject({ task: 'scan_local_folder' });
  await server.app.drain();
});
