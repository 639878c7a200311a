// The log in the data folder is rotated and bounded, and its errors never stop the server.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { Writable } from 'node:stream';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile } from '../../../server/log/log-file.ts';
import { createLog, isLosingLines } from '../../../server/log/log.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-log-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (maxBytes?: number) =>
  createLogFile({ folder: join(base, 'logs'), ...(maxBytes !== undefined && { maxBytes }) });
const readLog = (name = 'tonearm.log'): string => readFileSync(join(base, 'logs', name), 'utf8');

test('a log goes on where the last start left it, as JSON and without secrets', () => {
  for (const word of ['first', 'second'])
    createLog('info', { write: () => true, isTTY: true } as unknown as NodeJS.WritableStream, open()).info(
      { token: 'sesame' },
      word,
    );
  const lines = readLog()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines).toMatchObject([
    { msg: 'first', token: '***' },
    { msg: 'second', token: '***' },
  ]);
});

test('is rotated, and only five files are kept', () => {
  const file = open(100);
  for (let n = 0; n < 1_000; n++) file.write(`line ${n}\n`);
  expect(readdirSync(join(base, 'logs')).toSorted()).toEqual([
    'tonearm.1.log',
    'tonearm.2.log',
    'tonearm.3.log',
    'tonearm.4.log',
    'tonearm.log',
  ]);
  for (const name of readdirSync(join(base, 'logs')))
    expect(statSync(join(base, 'logs', name)).size).toBeLessThanOrEqual(100);
  expect(readLog()).toMatch(/line 999\n$/);
  expect(readLog('tonearm.1.log').trim().split('\n').at(-1)).toBe(
    `line ${Number(/line (\d+)/.exec(readLog())?.[1]) - 1}`, // no line is lost between two files
  );
});

test('a line that is larger than a file is written whole', () => {
  const file = open(10);
  file.write(`${'x'.repeat(50)}\n`);
  file.write('y\n');
  expect([readLog('tonearm.1.log'), readLog()]).toEqual([`${'x'.repeat(50)}\n`, 'y\n']);
});

const jsonLines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

test('a file that cannot be written is reported once on the terminal, and again when it can be written', () => {
  writeFileSync(join(base, 'logs'), 'a file where the folder should be');
  let printedText = '';
  const output = new Writable({ write: (chunk: Buffer, _, done) => void ((printedText += chunk.toString()), done()) });
  const log = createLog('info', output, open());
  log.info('lost');
  log.info('lost too');
  expect(isLosingLines(log)).toBe(true);
  rmSync(join(base, 'logs'));
  log.info('kept');
  expect(isLosingLines(log)).toBe(false);
  expect(jsonLines(readLog())).toMatchObject([{ msg: 'kept' }, { place: 'data folder', lines: 3 }]);
  expect(jsonLines(printedText).map((line) => (line as { msg: string }).msg)).toEqual([
    'the log cannot be written',
    'lost',
    'lost too',
    'the log can be written again; these lines are lost',
    'kept',
  ]);
  mkdirSync(join(base, 'away'));
  renameSync(join(base, 'logs'), join(base, 'away', 'logs')); // simulates a disconnected disk
  log.info('lost');
  expect(readdirSync(base)).toEqual(['away']);
});

test('an output that accepts no lines is reported in the file, and the log goes on', async () => {
  const output = new Writable({ write: (_chunk, _, done) => done(new Error('ENOSPC')) });
  output.on('error', () => undefined);
  output.destroy = () => output; // stdout and stderr of a process stay open after an error
  const log = createLog('info', output, open());
  log.info('lost');
  await afterOthers();
  expect([isLosingLines(log), readLog().includes('the log cannot be written')]).toEqual([true, true]);
});
