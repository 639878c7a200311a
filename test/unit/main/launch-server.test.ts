import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { launchServer } from '../../../main/launch-server.ts';
import { createServerProcess, type ServerChild } from '../../../main/server-process.ts';
import { serverEntry } from '../../support/bundle.ts';
import { app, fake } from '../../fakes/electron.ts';

const SERVER_PROGRAM = `
  import { connect } from 'node:net';
  connect(process.env.TONEARM_SHELL).on('data', (line) => {
    if (JSON.parse(line).kind === 'stop') { console.log('put away'); process.exit(0); }
  });
  console.error('tonearm: complaint');
  setInterval(() => undefined, 1_000);
  console.log('ready');
`;

let dir: string;
const waitForEnd = (child: ServerChild) =>
  new Promise<Error | undefined>((resolve) => {
    child.onEnd(resolve);
  });
const waitForOutput = (child: ServerChild, text: string) =>
  new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes(text)) resolve();
    });
  });

function writeProgram(root: string, program = SERVER_PROGRAM): void {
  mkdirSync(join(root, 'dist', 'server'), { recursive: true });
  writeFileSync(join(root, 'dist', 'server', 'main.js'), program);
}

beforeEach(() => {
  fake.reset();
  app.becomeReady();
  dir = mkdtempSync(join(tmpdir(), 'tonearm-launch-'));
  writeProgram(dir);
  writeProgram(join(dir, 'app.asar.unpacked'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

describe.each([
  { isPackaged: false, root: '.' },
  { isPackaged: true, root: 'app.asar' },
])('packaged: $isPackaged', ({ isPackaged, root }) => {
  it('runs the built server, shows its output, and stops it cleanly', async () => {
    let output = '';
    const child = launchServer({
      root: join(dir, root),
      isPackaged,
      echo: (chunk) => {
        output += chunk.toString();
      },
    });
    const end = waitForEnd(child);
    await waitForOutput(child, 'ready');
    child.send({ kind: 'stop' });
    expect(await end).toBeUndefined();
    expect(output).toContain('tonearm: complaint');
    expect(output).toContain('put away');
  });

  it('keeps its memory as small as npm start does', async () => {
    writeProgram(
      join(dir, root === '.' ? '.' : 'app.asar.unpacked'),
      `console.log(process.execArgv.join(' ') + ' ready'); process.exit();`,
    );
    let output = '';
    await waitForEnd(
      launchServer({
        root: join(dir, root),
        isPackaged,
        echo: (chunk) => {
          output += chunk.toString();
        },
      }),
    );
    const { scripts } = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'),
    ) as { scripts: { start: string } };
    const flags = scripts.start.match(/--[a-z-]+(=\d+)?/g) ?? [];
    expect(flags.length).toBeGreaterThan(0);
    for (const flag of flags) expect(output).toContain(flag);
  });

  it.each([
    [undefined, 'auto'],
    ['file', 'file'],
  ])('lets the server use the keychain, unless the environment is set: %s', async (requestedStore, expectedStore) => {
    vi.stubEnv('SECRET_STORE', requestedStore);
    writeProgram(
      join(dir, root === '.' ? '.' : 'app.asar.unpacked'),
      `console.log('secrets: ' + process.env.SECRET_STORE + ' ' + typeof process.env.PATH); process.exit();`,
    );
    let output = '';
    await waitForEnd(
      launchServer({
        root: join(dir, root),
        isPackaged,
        echo: (chunk) => {
          output += chunk.toString();
        },
      }),
    );
    expect(output).toContain(`secrets: ${expectedStore} string`);
  });

  it('ignores output after the end', async () => {
    const child = launchServer({ root: join(dir, root), isPackaged });
    const end = waitForEnd(child);
    child.kill();
    await end;
    expect(() => {
      child.send({ kind: 'stop' });
      child.kill();
    }).not.toThrow();
  });
});

it('leaves the archive for a real file, which worker threads and native packages need', async () => {
  const child = launchServer({ root: join(dir, 'app.asar'), isPackaged: true });
  expect(fake.forks[0]?.modulePath).toBe(join(dir, 'app.asar.unpacked', 'dist', 'server', 'main.js'));
  const end = waitForEnd(child);
  child.kill();
  await end;
});

it('understands the output of the server', async () => {
  const entry = pathToFileURL(serverEntry()).href;
  writeProgram(dir, `import(${JSON.stringify(entry)});`);
  for (const [name, value] of Object.entries({
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    LOCAL_MEDIA_WATCH: 'false',
    LOG_LEVEL: 'silent',
  }))
    vi.stubEnv(name, value);

  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServerProcess({
    launch: (args) => launchServer({ root: dir, isPackaged: false, args }),
    clock: systemClock,
    onReady: resolve,
    onFailed: ({ reason }) => reject(new Error(reason)),
  });
  server.start();
  const url = await promise;
  const status = await fetch(`${url}/api/v1/auth/status`);
  expect(await status.json()).toMatchObject({ setup_required: true });
  await expect.poll(() => server.setupToken()).toMatch(/\S{16,}/);
  await server.stop();
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
});
