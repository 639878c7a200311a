// Starting the server, and failed starts with one clear line and an exit code.
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJsonFile } from '../../server/config/json-file.ts';
import { silentMp3 } from '../support/audio-bytes.ts';
import { beginLibrary, runServer, spawnServer } from '../support/process.ts';
import { migratedDatabase } from '../support/temp-database.ts';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-start-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const makeDataDir = (): string => mkdtempSync(join(base, 'data-'));

/** Starts a server that fails, and returns its single line on stderr. */
async function refusal(args: string[], env: Record<string, string> = {}, exitCode = 1): Promise<string> {
  const { code, stdout, stderr } = await runServer(args, env);
  expect([code, stdout]).toEqual([exitCode, '']);
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(lines).toHaveLength(1);
  return lines[0] as string;
}

test.each([
  ['an unknown option', ['--prot', '1'], /Unknown option '--prot'.*--help/],
  ['an option without its value', ['--port'], /--port/],
  ['an unknown command', ['sing'], /no command "sing".*--help/],
  ['a port that is not a number', ['--port', 'http'], /Setting PORT = "http": must be a whole number from 0 to 65535/],
  ['a port out of range', ['--port', '70000'], /Setting PORT = "70000": must be/],
  ['an unknown log level', ['--log-level', 'loud'], /Setting LOG_LEVEL = "loud"/],
])('%s is rejected', async (_title, args, line) => {
  expect(await refusal([...args, '--data-dir', makeDataDir()], {}, 2)).toMatch(line);
});

test('a host that is not this machine is reported', async () => {
  expect(await refusal(['--host', '192.0.2.1', '--data-dir', makeDataDir()])).toMatch(
    /192\.0\.2\.1 is not an address of this machine.*--host/,
  );
});

test('an invalid setting from the environment or the file is reported, with its value and limits', async () => {
  expect(await refusal(['--data-dir', makeDataDir()], { ALLOW_REGISTRATION: 'perhaps' })).toMatch(
    /Setting ALLOW_REGISTRATION = "perhaps": must be true or false/,
  );
  const dir = makeDataDir();
  writeFileSync(join(dir, 'settings.json'), '{"allow_registratoin": true}');
  expect(await refusal(['--data-dir', dir])).toMatch(/Unknown setting allow_registratoin in settings\.json/);
  writeFileSync(join(dir, 'settings.json'), '{ not json');
  expect(await refusal(['--data-dir', dir])).toMatch(/settings\.json is damaged/);
});

test('a secret in settings.json is moved to secrets.json, and the log says so', async () => {
  const dir = makeDataDir();
  writeFileSync(join(dir, 'settings.json'), '{"contact": "me@example.org", "STREAMSRC_PASSWORD": "by hand"}');
  const server = await spawnServer(['--data-dir', dir, '--port', '0']);
  expect(readJsonFile(join(dir, 'settings.json'))).toEqual({ contact: 'me@example.org' });
  expect(readJsonFile(join(dir, 'secrets.json'))).toMatchObject({ 'setting.streamsrc_password': 'by hand' });
  expect(server.output()).toMatch(/"settings":\["STREAMSRC_PASSWORD"\].*secrets were moved out of settings\.json/);
  expect(server.output()).not.toContain('by hand');
  await server.kill('SIGTERM');
});

test('a music folder that does not exist, is a file, or contains the data folder is rejected', async () => {
  const dir = makeDataDir();
  expect(await refusal(['--data-dir', dir, '--import', join(base, 'nowhere')])).toMatch(
    /The music folder .*nowhere does not exist or is not a folder/,
  );
  const file = join(base, 'file.mp3');
  writeFileSync(file, 'x');
  expect(await refusal(['--data-dir', dir, '--import', file])).toMatch(/file\.mp3 does not exist or is not a folder/);
  expect(await refusal(['--data-dir', dir, '--import', base])).toMatch(/data folder/);
  expect(await refusal(['scan', join(base, 'nowhere'), '--data-dir', dir])).toMatch(
    /nowhere does not exist or is not a folder/,
  );
});

test('a music folder that was scanned and is not connected stops no start', async () => {
  const [dir, music] = [makeDataDir(), join(makeDataDir(), 'music')];
  mkdirSync(music);
  writeFileSync(join(music, 'a.mp3'), silentMp3(1));
  const args = ['--data-dir', dir, '--port', '0', '--import', music];
  const firstServer = await spawnServer(args);
  await expect.poll(() => firstServer.output()).toContain('Scan done');
  await firstServer.kill('SIGTERM');
  renameSync(music, `${music}.away`);
  const secondServer = await spawnServer(args);
  expect(secondServer.output()).toMatch(/The music folder .*music does not exist.* scanned when it is back\./);
  expect((await fetch(`${secondServer.url}/health`)).status).toBe(200);
  await secondServer.kill('SIGTERM');
});

test('a port in use is reported, and the data folder is released', async () => {
  const dir = makeDataDir();
  const portHolder = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>((resolve) =>
    portHolder.once('listening', () => resolve(portHolder.address() as AddressInfo)),
  );
  expect(await refusal(['--data-dir', dir, '--port', String(port)])).toMatch(
    new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use.*--port`),
  );
  portHolder.close();
  const server = await spawnServer(['--data-dir', dir, '--port', '0']);
  expect(await server.kill('SIGTERM')).toBe(0);
});

test('what cannot begin a library leaves nothing on the disk', async () => {
  const dir = join(makeDataDir(), 'data');
  const portHolder = createServer().listen(0, '127.0.0.1');
  await once(portHolder, 'listening');
  const { port } = portHolder.address() as AddressInfo;
  for (const [args, line] of [
    [['--port', String(port)], /Port \d+ on 127\.0\.0\.1 is in use/],
    [['--import', join(base, 'nowhere'), '--port', '0'], /nowhere does not exist/],
    [['scan'], /no library in .*data, and no music folder is named/],
    [['scan', join(base, 'nowhere')], /nowhere does not exist/],
    [['user', 'list'], /no library in .*data\. .*--data-dir/],
    [['backup', '--to', join(base, 'backup')], /no library in/],
    [['gc'], /no library in/],
  ] as const) {
    expect(await refusal([...args, '--data-dir', dir])).toMatch(line);
    expect(existsSync(dir)).toBe(false);
  }
  portHolder.close();
});

test('a data folder in that of another library is refused', async () => {
  const outer = makeDataDir();
  const server = await spawnServer(['--data-dir', outer, '--port', '0']);
  await server.kill('SIGTERM');
  const previousEntries = readdirSync(outer);
  expect(await refusal(['--data-dir', join(outer, 'more', 'data')])).toMatch(/is inside that of another library/);
  expect(readdirSync(outer)).toEqual(previousEntries);
});

test('an invalid database, or one of a newer version, is reported with what to do', async () => {
  const dir = makeDataDir();
  writeFileSync(join(dir, 'tonearm.db'), 'this is not a database, and long enough to be read as one. '.repeat(200));
  expect(await refusal(['--data-dir', dir])).toMatch(
    /The database .*tonearm\.db cannot be opened .*Restore it from a backup/,
  );
  const newer = makeDataDir();
  migratedDatabase(join(newer, 'tonearm.db'));
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(join(newer, 'tonearm.db'));
  db.prepare("INSERT INTO migrations VALUES ('9999_future', 'x', 0)").run();
  db.close();
  expect(await refusal(['--data-dir', newer])).toMatch(/9999_future.*newer version/);
});

test('a data folder belongs to one server at a time', async () => {
  const dir = makeDataDir();
  const server = await spawnServer(['--data-dir', dir, '--port', '0']);
  expect(await refusal(['--data-dir', dir, '--port', '0'])).toMatch(/Tonearm is already running/);
  await server.kill(); // the lock of a killed owner is released
  const nextServer = await spawnServer(['--data-dir', dir, '--port', '0']);
  expect((await fetch(`${nextServer.url}/health`)).status).toBe(200);
  await nextServer.kill('SIGTERM');
});

test('a file at the path of the data folder or the library, or of a parent, is reported', async () => {
  const file = join(base, 'plain-file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')]) {
    expect(await refusal(['--data-dir', path])).toMatch(
      /The data folder .* cannot be used: .*plain-file is a file, not a folder\. .*--data-dir/,
    );
    expect(await refusal(['--data-dir', makeDataDir()], { STORAGE_ROOT: path })).toMatch(
      /The library folder .* cannot be used: .*plain-file is a file, not a folder\. .*STORAGE_ROOT/,
    );
  }
});

test('a setup token and its link are printed until there is an administrator, also from the environment', async () => {
  const dir = makeDataDir();
  const firstServer = await spawnServer(['--data-dir', dir, '--port', '0']);
  await expect
    .poll(() => firstServer.output())
    .toMatch(new RegExp(`Setup token: \\S+\\n.*${firstServer.url}/setup\\?token=`));
  await firstServer.kill('SIGTERM');
  const secondServer = await spawnServer(['--data-dir', dir, '--port', '0'], {
    ADMIN_USERNAME: 'owner',
    ADMIN_PASSWORD: 'quite long enough',
  });
  const login = await fetch(`${secondServer.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"username":"owner","password":"quite long enough"}',
  });
  expect(login.status).toBe(200);
  expect(secondServer.output()).not.toContain('Setup token');
  await secondServer.kill('SIGTERM');
});

test('help, version and openapi are printed without touching any folder; accounts need no server', async () => {
  const dir = join(base, 'untouched');
  const tmp = mkdtempSync(join(base, 'tmp-'));
  expect((await runServer(['--help', '--data-dir', dir])).stdout).toMatch(/ALLOW_REGISTRATION.*\[true\]/);
  expect((await runServer(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const { stdout, code } = await runServer(['openapi', '--data-dir', dir], { TMPDIR: tmp, TMP: tmp, TEMP: tmp });
  expect([code, (JSON.parse(stdout) as { openapi: string }).openapi]).toEqual([0, '3.1.0']);
  expect(readdirSync(base)).not.toContain('untouched');
  expect(readdirSync(tmp).filter((name) => name.startsWith('tonearm'))).toEqual([]);
  await beginLibrary(dir);
  expect(await refusal(['user', 'promote', 'nobody', '--data-dir', dir])).toMatch(/no user nobody/);
});
