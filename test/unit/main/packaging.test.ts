import { join } from 'node:path';
import { getConfig, validateConfiguration } from 'app-builder-lib/out/util/config/config.js';
import { DebugLogger } from 'builder-util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

it('electron-builder.yml is valid, and packs no Node, no source and no test', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  await expect(validateConfiguration(config, new DebugLogger(false))).resolves.toBeUndefined();

  const [{ filter = [] }] = config.files as [{ filter?: string[] }]; // what the plain list is read as
  expect(filter).toContain('!node_modules/node-*/**');
  const folders = filter.filter((pattern) => !pattern.startsWith('!')).map((pattern) => pattern.split('/')[0]);
  expect(new Set(folders)).toEqual(new Set(['dist', 'migrations', 'resources', 'package.json', 'node_modules']));
});
