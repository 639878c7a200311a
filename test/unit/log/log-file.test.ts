// The log in the data folder: rotated, bounded, and never a reason to stop.
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
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogFile } from '../../../server/log/log-file.ts';
import { createLog } from '../../../server/log/log.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-log-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const faults: unknown[] = [];
const open = (maxBytes?: number) => {
  faults.length = 0;
  return createLogFile({
    folder: join(base, 'logs'),
    ...(maxBytes !== undefined && { maxBytes }),
    onFault: (error) => faults.push(error),
  });
};
const read = (name = 'tonearm.log'): string => readFileSync(join(base, 'logs', name), 'utf8');

test('a log goes on where the last start left it, as JSON and without secrets', () => {
  for (const word of ['first', 'second'])
    createLog('info', { write: () => true, isTTY: true } as unknown as NodeJS.WritableStream, open()).info(
      { token: 'sesame' },
      word,
    );
  const lines = read()
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
  expect(read()).toMatch(/line 999\n$/);
  expect(read('tonearm.1.log').trim().split('\n').at(-1)).toBe(
    `line ${Number(/line (\d+)/.exec(read())?.[1]) - 1}`, // nothing is lost between two files
  );
});

test('a line that is larger than a file is written whole', () => {
  const file = open(10);
  file.write(`${'x'.repeat(50)}\n`);
  file.write('y\n');
  expect([read('tonearm.1.log'), read()]).toEqual([`${'x'.repeat(50)}\n`, 'y\n']);
});

test('a log that cannot be written is said once, and goes on when it can', () => {
  writeFileSync(join(base, 'logs'), 'a file where the folder should be');
  const file = open();
  file.write('lost\n');
  file.write('lost too\n');
  expect(faults).toHaveLength(1);
  rmSync(join(base, 'logs'));
  file.write('kept\n');
  expect(read()).toBe('kept\n');
  mkdirSync(join(base, 'away'));
  renameSync(join(base, 'logs'), join(base, 'away', 'logs')); // a disk that is gone
  file.write('lost\n');
  expect(faults).toHaveLength(2);
  expect(readdirSync(base)).toEqual(['away']);
});
