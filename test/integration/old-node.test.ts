// Every way to start says that Node is too old, and what to do.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverEntry } from '../support/bundle.ts';
import { root } from '../support/product.ts';

const OLD = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.18.0' } })`;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string };
  optionalDependencies: Record<string, string>;
};

test.each([
  ['the server itself', serverEntry()],
  ['npx tonearm and npm start', join(root, 'scripts', 'tonearm.js')],
  ['npm ci', join(root, 'scripts', 'after-install.js')],
])('%s prints the required version and where to get it, and exits', (_what, entry) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD, entry], {
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: 'start' },
  });
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    `Tonearm needs Node.js ${manifest.engines.node.replace('>=', '')} or newer, and this is 22.18.0: install it from https://nodejs.org.\n`,
  ]);
});

test('README, CI and the bundled Node have the same version', () => {
  const oldest = manifest.engines.node.replace('>=', '');
  const [major] = oldest.split('.');
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`Node.js ${oldest} or newer`);
  for (const workflow of ['check', 'release']) {
    const versions = readFileSync(join(root, '.github', 'workflows', `${workflow}.yml`), 'utf8').match(
      /(?<=node-version: )\d+/g,
    );
    expect(new Set(versions)).toEqual(new Set([major]));
  }
  const brought = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(brought.map(([, version]) => version.split('.')[0])).toEqual(brought.map(() => major));
  expect(brought).not.toEqual([]);
});
