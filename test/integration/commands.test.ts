// Runs commands as users do: exit codes, wrong input, a closed output, a server that is already running, and the
// summary of a scan.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverEntry } from '../support/bundle.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { encode, noise, sheetOf } from '../support/split-files.ts';
import { toolOrWarn } from '../support/tools.ts';
import { until } from '../support/until.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'the summary of a scan with cue sheets is');

let base: string;
let dataDir: string;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-commands-'));
  dataDir = makeFolder();
  await runServer(['user', 'add', 'ann', '--data-dir', dataDir], {}, { input: 'correct horse battery\n' });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
const makeFolder = (): string => mkdtempSync(join(base, 'data-'));
const messagesOf = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

test.each([
  ['help', 0],
  ['help backup', 0],
  ['restore --help', 0],
  ['version', 0],
  ['scna', 2],
  ['help scna', 2],
  ['--prot 1', 2],
  ['--port http', 2],
  ['user', 2],
  ['user set ann quota_bytes=1e9', 2],
  ['trash restore 1e3', 2],
  ['user promote nobody', 1],
  ['user delete nobody --yes', 1],
  ['user delete ann', 1],
])('"tonearm %s" ends with %d', async (line, code) => {
  expect((await runServer([...line.split(' '), '--data-dir', dataDir])).code).toBe(code);
});

test('wrong input ends in one sentence', async () => {
  const file = join(base, 'file');
  writeFileSync(file, 'no music');
  const [emptyDir, brokenBackup] = [makeFolder(), makeFolder()];
  writeFileSync(join(brokenBackup, 'backup.json'), '{');
  const longPath = join(base, 'x'.repeat(300));
  const commandLines = [
    `restore --from ${join(base, 'nowhere')}`,
    `restore --from ${file}`,
    `restore --from ${emptyDir}`,
    `restore --from ${brokenBackup}`,
    'restore --from s3',
    `import ${emptyDir}`,
    `import ${file}`,
    `export ${file}`,
    `backup --to ${file}`,
    `backup check --to ${emptyDir}`,
    'user promote nobody',
    'user add a',
    'user revoke ann phone',
    `folder add ${file} Vinyl`,
    `folder add ${emptyDir} Vinyl weird`,
    'folder remove 1e3',
    'trash restore x',
    `scan ${file}`,
    'storage migrate --to s3',
    'rebuild',
    'serve --host nonsense.invalid --port 0',
    `user list --data-dir ${longPath}`,
    ...(process.platform === 'linux' ? ['user list --data-dir /proc/x', 'scan --data-dir /dev/null/x'] : []),
  ];
  for (const commandLine of commandLines) {
    const { code, stdout, stderr } = await runServer(['--data-dir', dataDir, ...commandLine.split(' ')]);
    expect([commandLine, messagesOf(stderr)]).toEqual([
      commandLine,
      [expect.stringMatching(/^tonearm: .*\.$/) as string],
    ]);
    expect([commandLine, stdout, code]).toEqual([commandLine, '', expect.any(Number) as number]);
    expect(code).toBeGreaterThan(0);
  }
});

test('a system error has no stack', async () => {
  const { stderr, code } = await runServer(['openapi'], { TMPDIR: join(base, 'gone'), TMP: join(base, 'gone') });
  expect([code, messagesOf(stderr)]).toEqual([
    1,
    [expect.stringMatching(/^tonearm: The command failed \(ENOENT/) as string],
  ]);
});

describe('the reader of the output may end first', () => {
  test.each(['help', 'openapi', 'user list', 'trash list', 'gc'])('when it reads "%s"', async (line) => {
    const child = spawn(process.execPath, [serverEntry(), ...line.split(' '), '--data-dir', dataDir]);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    expect([await once(child, 'close'), messagesOf(stderr)]).toEqual([[0, null], []]);
  });

  test('when it reads a server, which keeps running and reports that its log is lost', async () => {
    const dir = makeFolder();
    const child = spawn(process.execPath, [serverEntry(), '--data-dir', dir, '--port', '0'], {
      env: { ...process.env, LOG_FILES: 'always' },
    });
    child.stdout.destroy();
    child.stderr.destroy();
    const readAddress = (): string | undefined =>
      (JSON.parse(existsSync(lockNoteOf(dir)) ? readFileSync(lockNoteOf(dir), 'utf8') : '{}') as { url?: string }).url;
    const url = await until(readAddress, (address) => address !== undefined);
    const listHealthProblems = async (): Promise<string[]> =>
      ((await (await fetch(`${url}/health`)).json()) as { problems: string[] }).problems;
    await until(listHealthProblems, (problems) => problems.includes('log_failing'));
    expect(readFileSync(join(dir, 'logs', 'tonearm.log'), 'utf8')).toContain('the log cannot be written');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

const lockNoteOf = (dir: string): string => join(dir, 'tonearm.lock.json');

describe('a data folder with a running server', () => {
  test('is reported with the address of the server until the server has ended', async () => {
    const dir = makeFolder();
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    for (const args of [['--port', '0'], ['scan'], ['user', 'list']]) {
      const { code, stderr } = await runServer([...args, '--data-dir', dir]);
      expect([code, messagesOf(stderr)]).toEqual([
        1,
        [
          expect.stringMatching(
            new RegExp(`Tonearm is already running on .* and listens on ${server.url}\\.`),
          ) as string,
        ],
      ]);
    }
    await server.kill('SIGTERM');
    expect(existsSync(lockNoteOf(dir))).toBe(false);
  });

  test('an address is ignored if nobody or another program responds there', async () => {
    const dir = makeFolder();
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    const lockNote = JSON.parse(readFileSync(lockNoteOf(dir), 'utf8')) as object;
    for (const url of ['http://127.0.0.1:1', `${server.url}/rest`]) {
      writeFileSync(lockNoteOf(dir), JSON.stringify({ ...lockNote, url }));
      const { stderr } = await runServer(['--open', '--data-dir', dir]);
      expect(messagesOf(stderr)).toEqual([
        expect.stringMatching(/Tonearm is already running on \S+\. Use it there/) as string,
      ]);
    }
    await server.kill('SIGTERM');
  });

  test.skipIf(process.platform !== 'linux')('is opened in the browser by --open', async () => {
    const dir = makeFolder();
    const bin = makeFolder();
    const openedFile = join(bin, 'opened');
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${openedFile}\n`, { mode: 0o755 });
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    const { code, stdout, stderr } = await runServer(['--data-dir', dir, '--port', '0', '--open'], {
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      BROWSER: join(bin, 'xdg-open'),
    });
    expect([code, messagesOf(stderr)]).toEqual([0, []]);
    expect(stdout).toContain(`Tonearm is already running on ${server.url}.`);
    await until(
      () => existsSync(openedFile) && readFileSync(openedFile, 'utf8').trim(),
      (url) => url === server.url,
    );
    await server.kill('SIGTERM');
  });
});

describe('the summary of a scan', () => {
  const summaryOf = (text: string): string => /^Scan done: .*$/m.exec(text)?.[0] ?? text;
  /** Returns the number of files in the summary, and the sum of its counts. */
  function countsOf(summary: string): [number, number] {
    const [, files, counts = ''] = /^Scan done: (\d+) files?, ([^;(]*)/.exec(summary) ?? [];
    return [Number(files), [...counts.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)];
  }
  function makeMusicFolder(): string {
    const { dir } = makeLibrary({ tracks: 6, seed: 'summary' }, join(makeFolder(), 'music'));
    mkdirSync(join(dir, 'Broken'));
    for (let n = 0; n < 25; n++) writeFileSync(join(dir, 'Broken', `${n}.mp3`), 'no music');
    return dir;
  }

  test.each([false, true])(
    'adds up and names the failed files, also the second time (with a cue sheet: %s)',
    async (isSplit) => {
      if (isSplit && !ffmpeg) return;
      const dir = makeFolder();
      const musicDir = makeMusicFolder();
      if (isSplit) {
        mkdirSync(join(musicDir, 'Split'));
        encode(noise(1), join(musicDir, 'Split', 'Image.flac'));
        writeFileSync(join(musicDir, 'Split', 'Image.cue'), sheetOf('Image.flac', 'Split', ['a', 'b', 'c']));
      }
      const runScan = () => runServer(['scan', musicDir, '--data-dir', dir]);
      const [firstScan, secondScan] = [await runScan(), await runScan()];
      const fileCount = isSplit ? 32 : 31;
      expect(countsOf(summaryOf(firstScan.stdout))).toEqual([fileCount, fileCount]);
      expect(countsOf(summaryOf(secondScan.stdout))).toEqual([fileCount, fileCount]);
      expect(summaryOf(firstScan.stdout)).toMatch(
        isSplit ? / 7 new, 25 failed; 9 tracks added \(/ : / 6 new, 25 failed \(/,
      );
      expect(summaryOf(secondScan.stdout)).toMatch(/ [67] unchanged, 25 failed \(/);
      for (const { stdout } of [firstScan, secondScan]) {
        expect(stdout.match(/^ {2}Broken\/\d+\.mp3: \S/gm)).toHaveLength(20);
        expect(stdout).toContain('  … and 5 more');
      }
    },
  );

  test('is also printed by a server, with the failed files', async () => {
    const server = await spawnServer(['--data-dir', makeFolder(), '--port', '0', '--import', makeMusicFolder()]);
    await until(() => server.output().includes('… and 5 more'));
    expect(summaryOf(server.output())).toMatch(/ 6 new, 25 failed \(/);
    expect(server.output().match(/^ {2}Broken\/\d+\.mp3: \S/gm)).toHaveLength(20);
    await server.kill('SIGTERM');
  });
});

test('the log in the data folder is written if nobody else keeps the log, or if it is switched on', async () => {
  const listLogFiles = async (env: Record<string, string>): Promise<string[]> => {
    const dir = makeFolder();
    await runServer(['user', 'add', 'ann', '--data-dir', dir], env, { input: 'correct horse\n' });
    return existsSync(join(dir, 'logs')) ? readdirSync(join(dir, 'logs')) : [];
  };
  expect(await listLogFiles({ LOG_FILES: 'always' })).toEqual(['tonearm.log']);
  expect(await listLogFiles({ LOG_FILES: 'never' })).toEqual([]);
  expect(await listLogFiles({ container: 'podman' })).toEqual([]);
  // this JOURNAL_STREAM belongs to the terminal that started the command, not to the command's own output
  expect(await listLogFiles({ LOG_FILES: 'always', JOURNAL_STREAM: '1:1' })).toEqual(['tonearm.log']);
});

test('an account is deleted with --yes, and an administrator who is the only one is not', async () => {
  const dir = makeFolder();
  const run = async (line: string) =>
    runServer([...line.split(' '), '--data-dir', dir], {}, { input: 'correct horse\n' });
  await run('user add owner --superuser');
  await run('user add ben');
  expect((await run('user delete ben')).stderr).toContain('needs --yes');
  expect(await run('user delete ben --yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Deleted the account ben'),
  });
  expect(await run('user delete owner --yes')).toMatchObject({ code: 1 });
  expect((await run('user list')).stdout.trim()).toBe('owner (superuser)');
});

test('a backup that lacks a file ends with 3, and names the file', async () => {
  const dir = makeFolder();
  const { dir: music } = makeLibrary({ tracks: 3, seconds: '1' }, join(base, 'music to back up'));
  await runServer(['scan', music, '--data-dir', dir]);
  const backUp = () => runServer(['backup', '--to', makeFolder(), '--data-dir', dir]);
  expect(await backUp()).toMatchObject({ code: 0 });
  const audio = join(dir, 'library', 'audio');
  const lost = readdirSync(audio, { recursive: true, encoding: 'utf8' }).find((name) => /\.\w{3,4}$/.test(name));
  rmSync(join(audio, lost!));
  expect(await backUp()).toMatchObject({ code: 3, stdout: expect.stringContaining('1 files could not be read') });
});
