// What the manuals say is done: commands run as they stand on the page, and folders have in them what the page lists.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helpText } from '../../server/cli/command-line.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { makeLibrary } from '../support/library.ts';
import { codeIn, commandsIn, readSource, rowsOf, sectionOf } from '../support/manual.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { root } from '../support/product.ts';
import { startServer } from '../support/server.ts';

const [INSTALL, BACKUP, STORAGE, BY_HAND] = ['INSTALL', 'BACKUP', 'STORAGE', 'BY-HAND'].map((name) =>
  join('docs', `${name}.md`),
) as [string, string, string, string];

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

/** Runs a line of a page, with our folders for those of the page. */
function run(line: string, dir = data) {
  const filled = line
    .replace('/media/disk', disk)
    .replace('/path/of/the/new/library', newFolder)
    .replace('/path/of/the/library', dir)
    .replace('NAME', 'ann');
  const args = filled.split(' ');
  const env = { ...store.settings, BACKUP_TARGET: join(disk, 'tonearm') };
  const input = 'another horse\n';
  return runServer(args.includes('--data-dir') ? args : [...args, '--data-dir', dir], env, { input });
}

/** Commands of a page in their order, in code blocks and in sentences. `tonearm …` and such are not whole. */
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
    const { code, stdout, stderr } = await run(line, dir);
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringMatching(/"level":[56]0/)]);
  });
});

it('the script that docs/INSTALL.md starts is there', () => {
  const [, script = ''] = /node \/path\/to\/tonearm\/(\S+)/.exec(readSource(INSTALL)) ?? [];
  expect(existsSync(join(root, script))).toBe(true);
});

describe('folders have in them what the page lists:', () => {
  const listed = (page: string, heading: string): string[] =>
    rowsOf(sectionOf(page, heading)).flatMap(([cell = '']) => codeIn(cell));
  const isListed = (names: string[], name: string): boolean =>
    names.some((one) => (one.endsWith('…') ? name.startsWith(one.slice(0, -1)) : one.replace('/', '') === name));

  it('the data folder, also while a server runs, and after a restore that replaced a library', async () => {
    const names = listed(INSTALL, 'Where your data are');
    data = copyLibrary();
    expect((await run('restore --from /media/disk/tonearm --replace')).code).toBe(0);
    expect(readdirSync(data).filter((name) => name.startsWith('replaced-')).length).toBeGreaterThan(0);
    const server = await spawnServer(['--data-dir', data, '--port', '0']);
    const there = readdirSync(data);
    await server.kill('SIGTERM');
    expect(there).toContain('tonearm.db-wal');
    expect(there.filter((name) => !isListed(names, name))).toEqual([]);
  });

  it('a backup', () => {
    const there = readdirSync(join(disk, 'tonearm'));
    const names = listed(BACKUP, 'What is in a backup');
    expect(there).toContain('backup.json');
    expect(there.filter((name) => !name.startsWith('.') && !isListed(names, name))).toEqual([]);
  });

  it('an export', () => {
    const names = listed(BY_HAND, 'From an export').map((name) => name.replace(/\/$/, ''));
    const there = readdirSync(join(disk, 'music')).flatMap((name) =>
      name === 'data' ? readdirSync(join(disk, 'music', name)).map((file) => `data/${file}`) : [name],
    );
    expect(there).toContain('data/library.db');
    expect(there.filter((name) => !names.includes(name) && !names.includes(name.replace(/\w+\./, '*.')))).toEqual([]);
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
      ([, one]) => one,
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
    const { code, stderr } = await run(`${name} ${ARGS[name ?? ''] ?? ''}`.trim());
    if (works.has(name ?? '')) expect([code, stderr]).toEqual([0, '']);
    else expect([code, stderr]).toEqual([1, expect.stringMatching(/^tonearm: Another Tonearm is running on .*\n$/m)]);
  });
});

it('addresses of the HTTP interface exist', async () => {
  const server = await startServer({ setUp: false });
  const paths = server.app.openApi().paths as Record<string, Record<string, unknown>>;
  const addresses = ['README.md', INSTALL, BACKUP, STORAGE].flatMap((page) =>
    [...readSource(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE)\s(\/api\/v1\/[^`\s]+)`/g)].map(([, method, path]) => [
      method,
      path,
    ]),
  );
  await server.close();
  expect(addresses.length).toBeGreaterThan(8);
  const shapes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '<id>')}`),
  );
  expect(addresses.map(([method, path]) => `${method} ${path}`).filter((one) => !shapes.includes(one))).toEqual([]);
});
