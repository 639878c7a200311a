// Checks the manuals: commands run as written on the page, and folders contain what the page lists.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helpText } from '../../server/cli/help.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { makeLibrary } from '../support/library.ts';
import { codeIn, commandsIn, readSource, rowsOf, sectionOf, sentencesOf } from '../support/manual.ts';
import { openPhone } from '../support/phone.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { root } from '../support/product.ts';
import { startServer, type TestServer } from '../support/server.ts';

const [INSTALL, BACKUP, STORAGE, SUBSONIC, BY_HAND] = ['INSTALL', 'BACKUP', 'STORAGE', 'SUBSONIC', 'BY-HAND'].map(
  (name) => join('docs', `${name}.md`),
) as [string, string, string, string, string];

let base: string;
let disk: string;
let original: string;
let data: string;
let store: FakeS3;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-manual-'));
  [disk, original] = [join(base, 'disk'), join(base, 'original')];
  mkdirSync(join(disk, 'tonearm'), { recursive: true });
  store = await startFakeS3();
  const options = { tracks: 8, messy: 0, seed: 'manual', art: 'embedded', seconds: '1' } as const;
  const { dir } = makeLibrary(options, join(base, 'music'));
  expect((await runServer(['scan', '--data-dir', original, '--import', dir])).code).toBe(0);
  const input = 'correct horse\n';
  expect((await runServer(['user', 'add', 'ann', '--data-dir', original], {}, { input })).code).toBe(0);
  for (const line of ['backup', 'export /media/disk/music']) expect((await runCommand(line, original)).code).toBe(0);
});
afterAll(async () => {
  await store.close();
  rmSync(base, { recursive: true, force: true });
});

const newFolder = (): string => mkdtempSync(join(base, 'new-'));
function copyLibrary(): string {
  const copy = newFolder();
  cpSync(original, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** Runs a line of a page with the folders of the test. */
function runCommand(line: string, dir = data) {
  const filledLine = line
    .replace('/media/disk', disk)
    .replace('/path/of/the/new/library', newFolder)
    .replace('/path/of/the/library', dir)
    .replace('user add NAME', 'user add carla')
    .replace('NAME', 'ann')
    // the test passes the password as input
    .replace(' ann quota_bytes=20GB < password-file', ' berta quota_bytes=20GB');
  const args = filledLine.split(' ');
  const env = { ...store.settings, BACKUP_TARGET: join(disk, 'tonearm') };
  const input = 'another horse\n';
  return runServer(args.includes('--data-dir') ? args : [...args, '--data-dir', dir], env, { input });
}

/** Returns the complete commands of a page in order, from code blocks and sentences; skips `tonearm …` and the like. */
const commandsOn = (page: string): string[] => [
  ...new Set(
    readSource(page)
      .split('\n')
      .flatMap((line) => [
        ...commandsIn(line, '(?:node /path/to/tonearm/scripts/tonearm\\.js|(?:npx )?tonearm)'),
        ...codeIn(line).flatMap((code) => /^(?:npx )?tonearm ([^…]+)$/.exec(code)?.[1] ?? []),
      ]),
  ),
];

describe.each([BACKUP, STORAGE, INSTALL])('%s', (page) => {
  beforeAll(() => {
    data = copyLibrary();
    store.objects.clear();
  });

  it.each(commandsOn(page))('tonearm %s', async (line) => {
    let dir = data;
    if (line === 'rebuild') {
      dir = copyLibrary();
      rmSync(join(dir, 'tonearm.db'));
    }
    const { code, stdout, stderr } = await runCommand(line, dir);
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringMatching(/"level":[56]0/)]);
  });
});

it('the script that docs/INSTALL.md starts is there', () => {
  const [, script = ''] = /node \/path\/to\/tonearm\/(\S+)/.exec(readSource(INSTALL)) ?? [];
  expect(existsSync(join(root, script))).toBe(true);
});

describe('folders contain what the page lists:', () => {
  const listNames = (page: string, heading: string): string[] =>
    rowsOf(sectionOf(page, heading)).flatMap(([cell = '']) => codeIn(cell));
  const isListed = (names: string[], name: string): boolean =>
    names.some((listedName) =>
      listedName.endsWith('…') ? name.startsWith(listedName.slice(0, -1)) : listedName.replace('/', '') === name,
    );

  it('the data folder, also while a server runs, and after a restore that replaced a library', async () => {
    const names = listNames(INSTALL, 'Where your data are');
    data = copyLibrary();
    expect((await runCommand('restore --from /media/disk/tonearm --replace')).code).toBe(0);
    expect(readdirSync(data).filter((name) => name.startsWith('replaced-')).length).toBeGreaterThan(0);
    const [disposable = ''] =
      rowsOf(sectionOf(INSTALL, 'Where your data are')).find(([, text]) => text?.startsWith('can be deleted')) ?? [];
    expect(codeIn(disposable)).not.toEqual([]);
    for (const name of codeIn(disposable)) rmSync(join(data, name), { recursive: true, force: true });
    const server = await spawnServer(['--data-dir', data, '--port', '0']);
    const fileNames = readdirSync(data);
    await server.kill('SIGTERM');
    expect(fileNames).toContain('tonearm.db-wal');
    expect(fileNames.filter((name) => !isListed(names, name))).toEqual([]);
  });

  it('a backup', () => {
    const fileNames = readdirSync(join(disk, 'tonearm'));
    const names = listNames(BACKUP, 'What is in a backup');
    expect(fileNames).toContain('backup.json');
    expect(fileNames.filter((name) => !name.startsWith('.') && !isListed(names, name))).toEqual([]);
  });

  it('an export', () => {
    const names = listNames(BY_HAND, 'From an export').map((name) => name.replace(/\/$/, ''));
    const fileNames = readdirSync(join(disk, 'music')).flatMap((name) =>
      name === 'data' ? readdirSync(join(disk, 'music', name)).map((file) => `data/${file}`) : [name],
    );
    expect(fileNames).toContain('data/library.db');
    expect(fileNames.filter((name) => !names.includes(name) && !names.includes(name.replace(/\w+\./, '*.')))).toEqual(
      [],
    );
  });
});

describe('while a server runs on the library', () => {
  const ARGS: Record<string, string> = {
    user: 'list',
    restore: '--from /media/disk/tonearm --replace',
    export: '/media/disk/music',
    import: '/media/disk/music --replace',
    folder: 'list',
    trash: 'list',
    storage: 'migrate --to s3',
  };
  const commands = new Set(
    [...(helpText().split('\nCommands')[1]?.split('\nOptions')[0] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, command]) => command,
    ),
  );
  const [, exceptions = ''] =
    /every command but ([^.]+?) is refused/.exec(readSource(INSTALL).replaceAll('\n', ' ')) ?? [];
  const works = new Set(codeIn(exceptions));
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    data = copyLibrary();
    const server = await spawnServer(['--data-dir', data, '--port', '0']);
    stop = () => server.kill('SIGTERM');
  });
  afterAll(() => stop());

  it.each([...commands, '--help', '--version'])('tonearm %s does as docs/INSTALL.md says', async (name) => {
    const { code, stderr } = await runCommand(`${name} ${ARGS[name ?? ''] ?? ''}`.trim());
    if (works.has(name ?? '')) expect([code, stderr]).toEqual([0, '']);
    else expect([code, stderr]).toEqual([1, expect.stringMatching(/^tonearm: Tonearm is already running on .*\n$/m)]);
  });
});

describe('a running server answers as the manuals say:', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it('addresses of the HTTP interface exist', () => {
    const shapes = Object.entries(server.app.openApi().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '<id>')}`),
    );
    const addresses = [INSTALL, BACKUP, STORAGE].flatMap(
      (page) => readSource(page).match(/(?<=`)(GET|POST|PUT|PATCH|DELETE)\s\/api\/v1\/[^`\s]+(?=`)/g) ?? [],
    );
    expect(addresses.length).toBeGreaterThan(8);
    expect(
      addresses.map((address) => address.replace('\n', ' ')).filter((address) => !shapes.includes(address)),
    ).toEqual([]);
  });

  it('docs/SUBSONIC.md lists all extensions with their versions', async () => {
    const phone = await openPhone(server);
    const { openSubsonicExtensions: extensions } = (await phone.get('getOpenSubsonicExtensions')).body as unknown as {
      openSubsonicExtensions: { name: string; versions: number[] }[];
    };
    const versions = new Map(extensions.map(({ name, versions: all }) => [name, all.join(', ')]));
    const rows = rowsOf(readSource(SUBSONIC).split('\n## ')[0] ?? '').flatMap(([names = '', description = '']) =>
      codeIn(names).map((name) => ({
        name,
        version: /^[\d, ]*\d/.exec(description)?.[0],
        isAlways: /^[\d, ]+$/.test(description),
      })),
    );
    for (const { name, version, isAlways } of rows)
      if (isAlways || versions.has(name)) expect([name, versions.get(name)]).toEqual([name, version]);
    expect([...versions.keys()].filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
  });

  it('docs/SUBSONIC.md names endpoints that there are, and what the missing ones answer', async () => {
    const phone = await openPhone(server);
    const page = sentencesOf(SUBSONIC);
    const endpointNames = codeIn(page).flatMap(
      (code) => /^(?:get|add|save|search|jukebox)[A-Z0-9]\w*/.exec(code)?.[0] ?? [],
    );
    expect(endpointNames.length).toBeGreaterThan(10);
    const errors = new Map<string, { code: number; message: string } | undefined>();
    for (const endpoint of [...endpointNames, 'getNothing'])
      errors.set(endpoint, (await phone.get(endpoint)).body.error);
    expect([...errors].filter(([, error]) => error?.message.includes('has no endpoint')).map(([name]) => name)).toEqual(
      ['getNothing'],
    );
    const [, chat] = /`getChatMessages` and `addChatMessage` answer with error (\d+)/.exec(page) ?? [];
    for (const name of ['getChatMessages', 'addChatMessage']) expect(errors.get(name)?.code).toBe(Number(chat));
    const [, jukebox] = /`jukeboxControl` answers with error (\d+)/.exec(page) ?? [];
    expect((await phone.get('jukeboxControl', { action: 'status' })).body.error?.code).toBe(Number(jukebox));
    expect((await phone.get('getVideos')).body).toMatchObject({ status: 'ok', videos: {} });
  });
});
