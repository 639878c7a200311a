// Lines of the log as a terminal shows them.
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../server/errors.ts';
import { createLog, type Log } from '../../../server/log/log.ts';

function formatLines(writeLog: (log: Log) => void, level: 'info' | 'debug' = 'info'): string {
  let text = '';
  const terminal = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  writeLog(createLog(level, Object.assign(terminal, { isTTY: true })));
  // removes the code that clears a progress bar, and colors, which depend on the terminal of the test
  return text.replaceAll('\r\u001B[K', '').replaceAll(/\u001B\[\d+m/g, '');
}

test('has the time of day, the level, the words and the fields', () => {
  expect(formatLines((log) => log.info({ path: '/music', folders: 3 }, 'watching the music folder'))).toMatch(
    /^\d\d:\d\d:\d\d info {2}watching the music folder \(path: \/music, folders: 3\)\n$/,
  );
});

test('is one line with the words of an error and of its causes, each said once', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const error = new AppError('unavailable', 'The storage cannot be reached.', { cause });
  expect(formatLines((log) => log.error({ err: error, task: 'backup' }, 'job'))).toMatch(
    /^\S+ error job: The storage cannot be reached\.: connect ECONNREFUSED 127\.0\.0\.1:1 \(task: backup\)\n$/,
  );
  const errorWithSameCause = new AppError('unavailable', 'Full (no space left).', {
    cause: new Error('no space left'),
  });
  expect(formatLines((log) => log.warn({ err: errorWithSameCause }, 'x'))).toMatch(
    /warn {2}x: Full \(no space left\)\.\n$/,
  );
});

describe('stacks', () => {
  test('are shown of an error that nobody expected', () => {
    expect(formatLines((log) => log.error({ err: new TypeError('x is not a function') }, 'request'))).toMatch(
      /error request: x is not a function\n {4}TypeError: x is not a function\n {4} +at .*terminal-line\.test\.ts/,
    );
  });

  test.each([
    ['an error of Tonearm', new AppError('conflict', 'No.')],
    ['an error of the system', Object.assign(new Error('ENOENT'), { code: 'ENOENT' })],
  ])('of %s are shown at debug only', (_title, error) => {
    expect(formatLines((log) => log.error({ err: error }, 'x'))).not.toContain('terminal-line.test');
    expect(formatLines((log) => log.error({ err: error }, 'x'), 'debug')).toContain('terminal-line.test');
  });
});

test('has no secrets, and nothing that moves the cursor', () => {
  const text = formatLines((log) =>
    log.error({ token: 'sesame', err: new Error('GET /?token=sesame'), file: 'a\u001B[2Jb\nc' }, '/x?p=sesame'),
  );
  expect(text).not.toContain('sesame');
  expect(text.split('\n')[0]).toMatch(/\(token: \*\*\*, file: a\S*b c\)$/);
  expect(text).not.toContain('\u001B');
});

test('shortens long lists', () => {
  const line = formatLines((log) =>
    log.info({ migrations: Array.from({ length: 99 }, (_, i) => `step-${i}`) }, 'done'),
  );
  expect(line.length).toBeLessThan(300);
});

test('of other values than errors, or without words, are shown too', () => {
  expect(formatLines((log) => log.warn({ err: 'text' }, 'x'))).toMatch(/x: text\n$/);
  expect(formatLines((log) => log.warn({ err: null }))).toMatch(/warn {2}null\n$/);
  expect(formatLines((log) => log.info('words alone'))).toMatch(/info {2}words alone\n$/);
});
