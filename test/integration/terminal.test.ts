// Tests the questions and the output on a terminal.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runServer } from '../support/process.ts';
import { onTerminal, terminalOrWarn } from '../support/terminal.ts';

const VALID_PASSWORD = 'correct horse battery';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-terminal-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
const makeDataDir = (): string => mkdtempSync(join(base, 'data-'));

describe.skipIf(!terminalOrWarn())('on a terminal', () => {
  test('a password is hidden, and asked for again until both are the same and allowed', async () => {
    const dir = makeDataDir();
    const addCommand = onTerminal(['user', 'add', 'ann', '--data-dir', dir]);
    await addCommand.shows('Password: ');
    addCommand.type('short\r');
    await addCommand.shows('must have at least 8 characters');
    addCommand.type(`${VALID_PASSWORD}\r`);
    await addCommand.shows('Password again: ');
    addCommand.type('something else\r');
    await addCommand.shows('The two are not the same.');
    addCommand.type(`${VALID_PASSWORD}\r${VALID_PASSWORD}\r`); // the whole text is pasted at once
    expect(await addCommand.whenEnded).toBe(0);
    expect(addCommand.output()).toContain('Created the account ann.');
    expect(addCommand.output()).not.toMatch(/short\b|horse|something else/);
    expect((await runServer(['user', 'list', '--data-dir', dir])).stdout).toMatch(/^ann/);
  });

  test.each([
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ])('%s at a password changes nothing, and the terminal echoes again', async (_title, key) => {
    const dir = makeDataDir();
    const addCommand = onTerminal(['user', 'add', 'ann', '--data-dir', dir], { after: 'stty -a' });
    await addCommand.shows('Password: ');
    addCommand.type(key);
    await addCommand.whenEnded;
    expect(addCommand.output()).toContain('tonearm: Canceled. Nothing was changed.');
    expect(addCommand.output()).toMatch(/ icanon .* echo /s);
    expect(addCommand.output()).not.toMatch(/\n +at /);
    expect((await runServer(['user', 'list', '--data-dir', dir])).stdout).toBe('');
  });

  test('the log is lines for people, and JSON in the data folder', async () => {
    const dir = makeDataDir();
    const server = onTerminal(['--data-dir', dir, '--port', '0'], { env: { LOG_FILES: 'always' } });
    await server.shows('Create your account at');
    server.type('\u0003');
    await server.whenEnded;
    expect(server.output()).toMatch(/\d\d:\d\d:\d\d info {2}stopping \(asked: SIGINT\)[^]* info {2}stopped/);
    expect(server.output()).not.toContain('{"level"');
    const lines = readFileSync(join(dir, 'logs', 'tonearm.log'), 'utf8')
      .trim()
      .split('\n')
      .slice(-2);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'info', msg: 'stopping', asked: 'SIGINT' },
      { level: 'info', msg: 'stopped' },
    ]);
  });
});

test('a password from a pipe is its first line, and has to be allowed', async () => {
  const dir = makeDataDir();
  const add = (input: string) => runServer(['user', 'add', 'ann', '--data-dir', dir], {}, { input });
  expect(await add('short\n')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/tonearm: A password must have at least 8 characters\.\n$/) as string,
  });
  expect(await add('')).toMatchObject({ code: 1, stderr: expect.stringContaining('pipe the password in') as string });
  expect(await add(`${VALID_PASSWORD}\nsecond line\n`)).toMatchObject({
    code: 0,
    stdout: 'Created the account ann.\n',
  });
});

test('in a pipe the log is JSON', async () => {
  const { stderr } = await runServer(
    ['user', 'add', 'ann', '--data-dir', makeDataDir()],
    {},
    { input: 'correct horse\n' },
  );
  for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' });
});
