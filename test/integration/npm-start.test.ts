// `npm start` and `npx tonearm` as users and supervisors run them: ending npm ends the server cleanly.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive } from '../support/process.ts';
import { root } from '../support/product.ts';

let dir: string;
let npm: ChildProcess;
let text: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-npm-'));
  text = '';
});
afterEach(() => {
  if (npm.pid !== undefined && isAlive(-npm.pid)) process.kill(-npm.pid, 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** Runs npm in its own process group, and waits until the server listens. */
async function start(command: string, ...args: string[]): Promise<void> {
  npm = spawn(command, [...args, '--data-dir', dir, '--port', '0'], {
    cwd: root,
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false', npm_config_cache: join(dir, 'npm') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    const onChunk = (chunk: Buffer): void => {
      text += chunk.toString();
      if (/listening on http:\S+/.test(text)) resolve();
    };
    npm.stdout?.on('data', onChunk);
    npm.stderr?.on('data', onChunk);
    npm.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${text}`)));
  });
}

/** Expects no process in the group, one log line about the stop, and a closed database. */
async function expectGone(): Promise<void> {
  await expect.poll(() => isAlive(-(npm.pid as number))).toBe(false);
  expect(text.match(/"msg":"stopping"/g)).toHaveLength(1);
  expect(text).not.toContain('could not stop');
  expect(existsSync(join(dir, 'tonearm.db-wal'))).toBe(false);
}

// Windows has no signals
describe.skipIf(process.platform === 'win32')('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('npm start forwards %s, and waits for the server', async (signal) => {
    await start('npm', 'start', '--');
    npm.kill(signal);
    expect(await once(npm, 'exit')).toEqual([0, null]);
    await expectGone();
  });

  test.each(['SIGHUP', 'SIGKILL'] as const)('the server ends after an npm start that %s ended', async (signal) => {
    await start('npm', 'start', '--');
    npm.kill(signal);
    expect(await once(npm, 'exit')).toEqual([null, signal]);
    await expectGone();
  });

  test.each(['SIGINT', 'SIGHUP'] as const)(
    '%s from the terminal, which all processes get, counts once',
    async (signal) => {
      await start('npm', 'start', '--');
      process.kill(-(npm.pid as number), signal);
      await once(npm, 'exit');
      await expectGone();
    },
  );

  test('npx tonearm is the same server, and ends with npx', async () => {
    await start('npx', 'tonearm');
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await expectGone();
  });
});

test('options that npm took are not ignored', async () => {
  await expect(start('npm', 'start')).rejects.toThrow(
    /npm ended with 2: [^]*npm took --port for itself\. Put -- before the options/,
  );
  expect(readdirSync(dir)).toEqual(['npm']);
});
