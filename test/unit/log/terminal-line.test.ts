// Lines of the log as they are shown on a terminal.
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../server/errors.ts';
import { createLog, type Log } from '../../../server/log/log.ts';

function shown(write: (log: Log) => void, level: 'info' | 'debug' = 'info'): string {
  let text = '';
  const terminal = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  write(createLog(level, Object.assign(terminal, { isTTY: true })));
  // what clears a progress bar, and colors, which depend on the terminal of the test
  return text.replaceAll('\r\u001B[K', '').replaceAll(/\u001B\[\d+m/g, '');
}

test('has the time of day, the level, the words and the fields', () => {
  expect(shown((log) => log.info({ path: '/music', folders: 3 }, 'watching the music folder'))).toMatch(
    /^\d\d:\d\d:\d\d info {2}watching the music folder \(path: \/music, folders: 3\)\n$/,
  );
});

test('is one line with the words of an error and of its causes, each said once', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const error = new AppError('unavailable', 'The storage cannot be reached.', { cause });
  expect(shown((log) => log.error({ err: error, task: 'backup' }, 'job'))).toMatch(
    /^\S+ error job: The storage cannot be reached\.: connect ECONNREFUSED 127\.0\.0\.1:1 \(task: backup\)\n$/,
  );
  const repeated = new AppError('unavailable', 'Full (no space left).', { cause: new Error('no space left') });
  expect(shown((log) => log.warn({ err: repeated }, 'x'))).toMatch(/warn {2}x: Full \(no space left\)\.\n$/);
});

describe('stacks', () => {
  test('are shown of an error that nobody expected', () => {
    expect(shown((log) => log.error({ err: new TypeError('x is not a function') }, 'request'))).toMatch(
      /error request: x is not a function\n {4}TypeError: x is not a function\n {4} +at .*terminal-line\.test\.ts/,
    );
  });

  test.each([
    ['an error of Tonearm', new AppError('conflict', 'No.')],
    ['an error of the system', Object.assign(new Error('ENOENT'), { code: 'ENOENT' })],
  ])('of %s are shown at debug only', (_what, error) => {
    expect(shown((log) => log.error({ err: error }, 'x'))).not.toContain('terminal-line.test');
    expect(shown((log) => log.error({ err: error }, 'x'), 'debug')).toContain('terminal-line.test');
  });
});

test('has no secrets, and nothing that moves the cursor', () => {
  const text = shown((log) =>
    log.error({ token: 'sesame', err: new Error('GET /?token=sesame'), file: 'a\u001B[2Jb\nc' }, '/x?p=sesame'),
  );
  expect(text).not.toContain('sesame');
  expect(text.split('\n')[0]).toMatch(/\(token: \*\*\*, file: a\S*b c\)$/);
  expect(text).not.toContain('\u001B');
});

test('shortens long lists', () => {
  const line = shown((log) => log.info({ migrations: Array.from({ length: 99 }, (_, i) => `step-${i}`) }, 'done'));
  expect(line.length).toBeLessThan(300);
});

test('of other values than errors, or without words, are shown too', () => {
  expect(shown((log) => log.warn({ err: 'text' }, 'x'))).toMatch(/x: text\n$/);
  expect(shown((log) => log.warn({ err: null }))).toMatch(/warn {2}null\n$/);
  expect(shown((log) => log.info('words alone'))).toMatch(/info {2}words alone\n$/);
});
