import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getConfig, validateConfiguration } from 'app-builder-lib/out/util/config/config.js';
import { Packager } from 'app-builder-lib';
import { AppInfo } from 'app-builder-lib/out/appInfo.js';
import { DebugLogger } from 'builder-util';
import { expect, it } from 'vitest';
import { withFileTypes } from '../../../scripts/file-types.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('electron-builder.yml is valid, and packs no Node, sources or tests', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  await expect(validateConfiguration(config, new DebugLogger(false))).resolves.toBeUndefined();

  // electron-builder treats a list without an object like this
  const [{ filter = [] }] = config.files as [{ filter?: string[] }];
  expect(filter).toContain('!node_modules/node-*/**');
  const folders = filter.filter((pattern) => !pattern.startsWith('!')).map((pattern) => pattern.split('/')[0]);
  expect(new Set(folders)).toEqual(new Set(['dist', 'migrations', 'resources', 'package.json', 'node_modules']));
});

it('a deb can be built, without invented addresses', async () => {
  const packager = new Packager({ projectDir: root });
  await packager.validateConfig();
  expect(await new AppInfo(packager, null).computePackageUrl()).toBe(''); // electron-builder rejects null
  // without a maintainer electron-builder requires the author's e-mail address
  expect(packager.config.linux?.maintainer).toBe('Tonearm contributors');
  expect(packager.metadata.author).toEqual({ name: 'Tonearm contributors' });
});

it('keeps Chromium’s sandbox, and the hardened runtime except for compiling', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  expect(config.toolsets?.appimage).toBe('1.0.3'); // the default version 0.0.0 would start the app with --no-sandbox
  expect([config.linux?.executableArgs, config.mac?.hardenedRuntime]).toEqual([undefined, true]);
  const entitlements = readFileSync(join(root, config.mac?.entitlements ?? ''), 'utf8');
  expect([...entitlements.matchAll(/<key>(.*?)<\/key>/g)].map(([, key]) => key)).toEqual([
    'com.apple.security.cs.allow-jit',
  ]);
});

it('is released for three systems and two processors', () => {
  const workflow = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
  const machines = [...workflow.matchAll(/system: (\w+), arch: (\w+)/g)].map(([, system, arch]) => `${system} ${arch}`);
  expect(machines).toEqual(['linux x64', 'linux arm64', 'mac x64', 'mac arm64', 'win x64', 'win arm64']);
});

it('offers audio and playlists under “Open with”, without becoming the default', async () => {
  const config = await getConfig(root, 'electron-builder.yml', null);
  expect(config.fileAssociations).toBeUndefined(); // this option would make the app the default on Windows
  expect(config.mac?.fileAssociations).toMatchObject([{ rank: 'Alternate' }, { rank: 'Alternate' }]);
  const installerScript = readFileSync(join(root, 'resources', 'packaging', 'open-with.nsh'), 'utf8');
  const onWindows = [...installerScript.matchAll(/OPEN_WITH "([^"]+)"/g)].map(([, extension]) => extension);
  expect(onWindows).toEqual([config.mac?.fileAssociations ?? []].flat().flatMap(({ ext }) => ext));
  expect(onWindows).toEqual(expect.arrayContaining(['mp3', 'mp2', 'aifc', 'mka', 'mpp', 'xspf']));
  expect(onWindows).not.toContain('mp4'); // mp4 files are videos
  expect(installerScript).not.toMatch(/Classes\\\./); // this registry key would take a file type over
});

it('"Send to" of Windows has an entry, and none after Tonearm was removed', () => {
  const include = readFileSync(join(root, 'resources', 'packaging', 'open-with.nsh'), 'utf8');
  const [installScript, uninstallScript] = ['customInstall', 'customUnInstall'].map(
    (name) => new RegExp(`!macro ${name}\n([^]*?)!macroend`).exec(include)?.[1],
  );
  expect(include).toContain('!define SEND_TO "$SENDTO\\${PRODUCT_NAME}.lnk"');
  expect(installScript).toContain('CreateShortCut "${SEND_TO}" "$INSTDIR\\${APP_EXECUTABLE_FILENAME}"');
  expect(uninstallScript).toContain('Delete "${SEND_TO}"');
});

it('the file types are those of the tables (npm run file-types)', () => {
  for (const [file, text] of withFileTypes()) expect(readFileSync(join(root, file), 'utf8'), file).toBe(text);
});
