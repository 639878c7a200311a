// Commands as people call them: exit codes, wrong input, a reader that goes away, a server that runs already, and what a
// scan says.
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
let library: string;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-commands-'));
  library = fresh();
  await runServer(['user', 'add', 'ann', '--data-dir', library], {}, { input: 'correct horse battery\n' });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
const fresh = (): string => mkdtempSync(join(base, 'data-'));
const words = (stderr: string): string[] => stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

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
])('"tonearm %s" ends with %d', async (line, code) => {
  expect((await runServer([...line.split(' '), '--data-dir', library])).code).toBe(code);
});

test('wrong input ends in one sentence', async () => {
  const file = join(base, 'file');
  writeFileSync(file, 'no music');
  const [empty, broken] = [fresh(), fresh()];
  writeFileSync(join(broken, 'backup.json'), '{');
  const deep = join(base, 'x'.repeat(300));
  const calls = [
    `restore --from ${join(base, 'nowhere')}`,
    `restore --from ${file}`,
    `restore --from ${empty}`,
    `restore --from ${broken}`,
    'restore --from s3',
    `import ${empty}`,
    `import ${file}`,
    `export ${file}`,
    `backup --to ${file}`,
    `backup check --to ${empty}`,
    'user promote nobody',
    'user add a',
    'user revoke ann phone',
    `folder add ${file} Vinyl`,
    `folder add ${empty} Vinyl weird`,
    'folder remove 1e3',
    'trash restore x',
    `scan ${file}`,
    'storage migrate --to s3',
    'rebuild',
    'serve --host nonsense.invalid --port 0',
    `user list --data-dir ${deep}`,
    ...(process.platform === 'linux' ? ['user list --data-dir /proc/x', 'scan --data-dir /dev/null/x'] : []),
  ];
  for (const call of calls) {
    const { code, stdout, stderr } = await runServer(['--data-dir', library, ...call.split(' ')]);
    expect([call, words(stderr)]).toEqual([call, [expect.stringMatching(/^tonearm: .*\.$/) as string]]);
    expect([call, stdout, code]).toEqual([call, '', expect.any(Number) as number]);
    expect(code).toBeGreaterThan(0);
  }
});

test('a system error has no stack', async () => {
  const { stderr, code } = await runServer(['openapi'], { TMPDIR: join(base, 'gone'), TMP: join(base, 'gone') });
  expect([code, words(stderr)]).toEqual([
    1,
    [expect.stringMatching(/^tonearm: The command failed \(ENOENT/) as string],
  ]);
});

describe('whoever reads the output may end first', () => {
  test.each(['help', 'openapi', 'user list', 'trash list', 'gc'])('of "%s"', async (line) => {
    const child = spawn(process.execPath, [serverEntry(), ...line.split(' '), '--data-dir', library]);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    expect([await once(child, 'close'), words(stderr)]).toEqual([[0, null], []]);
  });

  test('of a server, which goes on, and says that its log is lost', async () => {
    const dir = fresh();
    const child = spawn(process.execPath, [serverEntry(), '--data-dir', dir, '--port', '0'], {
      env: { ...process.env, LOG_FILES: 'always' },
    });
    child.stdout.destroy();
    child.stderr.destroy();
    const address = (): string | undefined =>
      (JSON.parse(existsSync(note(dir)) ? readFileSync(note(dir), 'utf8') : '{}') as { url?: string }).url;
    const url = await until(address, (found) => found !== undefined);
    const health = async (): Promise<string[]> =>
      ((await (await fetch(`${url}/health`)).json()) as { problems: string[] }).problems;
    await until(health, (problems) => problems.includes('log_failing'));
    expect(readFileSync(join(dir, 'logs', 'tonearm.log'), 'utf8')).toContain('the log cannot be written');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

const note = (dir: string): string => join(dir, 'tonearm.lock.json');

describe('a data folder whose server runs', () => {
  test('is said with the address of the server, until that has ended', async () => {
    const dir = fresh();
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    for (const call of [['--port', '0'], ['scan'], ['user', 'list']]) {
      const { code, stderr } = await runServer([...call, '--data-dir', dir]);
      expect([code, words(stderr)]).toEqual([
        1,
        [
          expect.stringMatching(
            new RegExp(`Tonearm is already running on .* and listens on ${server.url}\\.`),
          ) as string,
        ],
      ]);
    }
    await server.kill('SIGTERM');
    expect(existsSync(note(dir))).toBe(false);
  });

  test('an address where nobody, or another program, answers is not believed', async () => {
    const dir = fresh();
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    const held = JSON.parse(readFileSync(note(dir), 'utf8')) as object;
    for (const url of ['http://127.0.0.1:1', `${server.url}/rest`]) {
      writeFileSync(note(dir), JSON.stringify({ ...held, url }));
      const { stderr } = await runServer(['--open', '--data-dir', dir]);
      expect(words(stderr)).toEqual([
        expect.stringMatching(/Tonearm is already running on \S+\. Use it there/) as string,
      ]);
    }
    await server.kill('SIGTERM');
  });

  test.skipIf(process.platform !== 'linux')('is opened in the browser by --open', async () => {
    const dir = fresh();
    const bin = fresh();
    const opened = join(bin, 'opened');
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    const server = await spawnServer(['--data-dir', dir, '--port', '0']);
    const { code, stdout, stderr } = await runServer(['--data-dir', dir, '--port', '0', '--open'], {
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      BROWSER: join(bin, 'xdg-open'),
    });
    expect([code, words(stderr)]).toEqual([0, []]);
    expect(stdout).toContain(`Tonearm is already running on ${server.url}.`);
    await until(
      () => existsSync(opened) && readFileSync(opened, 'utf8').trim(),
      (url) => url === server.url,
    );
    await server.kill('SIGTERM');
  });
});

describe('the summary of a scan', () => {
  const summaryOf = (text: string): string => /^Scan done: .*$/m.exec(text)?.[0] ?? text;
  /** Of what is said about files. */
  function sumOf(summary: string): [number, number] {
    const [, files, counts = ''] = /^Scan done: (\d+) files?, ([^;(]*)/.exec(summary) ?? [];
    return [Number(files), [...counts.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)];
  }
  function musicFolder(): string {
    const { dir } = makeLibrary({ tracks: 6, seed: 'summary' }, join(fresh(), 'music'));
    mkdirSync(join(dir, 'Broken'));
    for (let n = 0; n < 25; n++) writeFileSync(join(dir, 'Broken', `${n}.mp3`), 'no music');
    return dir;
  }

  test.each([false, true])(
    'adds up and names what failed, also the second time (with a cue sheet: %s)',
    async (isSplit) => {
      if (isSplit && !ffmpeg) return;
      const dir = fresh();
      const music = musicFolder();
      if (isSplit) {
        mkdirSync(join(music, 'Split'));
        encode(noise(1), join(music, 'Split', 'Image.flac'));
        writeFileSync(join(music, 'Split', 'Image.cue'), sheetOf('Image.flac', 'Split', ['a', 'b', 'c']));
      }
      const scan = () => runServer(['scan', music, '--data-dir', dir]);
      const [first, second] = [await scan(), await scan()];
      const files = isSplit ? 32 : 31;
      expect(sumOf(summaryOf(first.stdout))).toEqual([files, files]);
      expect(sumOf(summaryOf(second.stdout))).toEqual([files, files]);
      expect(summaryOf(first.stdout)).toMatch(
        isSplit ? / 7 new, 25 failed; 9 tracks added \(/ : / 6 new, 25 failed \(/,
      );
      expect(summaryOf(second.stdout)).toMatch(/ [67] unchanged, 25 failed \(/);
      for (const { stdout } of [first, second]) {
        expect(stdout.match(/^ {2}Broken\/\d+\.mp3: \S/gm)).toHaveLength(20);
        expect(stdout).toContain('  … and 5 more');
      }
    },
  );

  test('is printed by a server, too, with the files that failed', async () => {
    const server = await spawnServer(['--data-dir', fresh(), '--port', '0', '--import', musicFolder()]);
    await until(() => server.output().includes('… and 5 more'));
    expect(summaryOf(server.output())).toMatch(/ 6 new, 25 failed \(/);
    expect(server.output().match(/^ {2}Broken\/\d+\.mp3: \S/gm)).toHaveLength(20);
    await server.kill('SIGTERM');
  });
});

test('the log in the data folder is written where nobody else keeps it, or where it is wished', async () => {
  const logsOf = async (env: Record<string, string>): Promise<string[]> => {
    const dir = fresh();
    await runServer(['user', 'add', 'ann', '--data-dir', dir], env, { input: 'correct horse\n' });
    return existsSync(join(dir, 'logs')) ? readdirSync(join(dir, 'logs')) : [];
  };
  expect(await logsOf({ LOG_FILES: 'always' })).toEqual(['tonearm.log']);
  expect(await logsOf({ LOG_FILES: 'never' })).toEqual([]);
  expect(await logsOf({ container: 'podman' })).toEqual([]);
  // of the terminal that started it, not of this process
  expect(await logsOf({ LOG_FILES: 'always', JOURNAL_STREAM: '1:1' })).toEqual(['tonearm.log']);
});
