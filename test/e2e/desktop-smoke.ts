// Uses the real desktop app like a user (desktop-steps.ts). Not part of `npm test`, because it needs Electron's binary
// and a display. npm run desktop:smoke tests the build of the sources; with --packed it tests what electron-builder
// packed into out/, which needs the fuse for Node's inspector left on (see .github/workflows/check.yml);
// --electron PATH uses any Electron from version 25 on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { _electron as electron, type ElectronApplication } from 'playwright-core';
import { makeOlderShell } from '../../scripts/older-shell.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { findDesktopPort, makeDesktopMusic, quitByTray, useDesktopApp } from './desktop-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const dir = mkdtempSync(join(tmpdir(), 'tonearm-desktop-smoke-'));

/** Returns the path of the program in the folder that `electron-builder --dir` makes. */
function packedProgram(): string {
  const candidates = readdirSync(join(root, 'out')).flatMap((folder) =>
    ['tonearm', 'Tonearm.exe', join('Tonearm.app', 'Contents', 'MacOS', 'Tonearm')].map((program) =>
      join(root, 'out', folder, program),
    ),
  );
  const executable = candidates.find((path) => existsSync(path));
  if (executable === undefined)
    throw new Error('There is no packed app in out/; run "npm run package -- --dir" first.');
  return executable;
}

const { values } = parseArgs({
  options: { packed: { type: 'boolean', default: false }, electron: { type: 'string' } },
});
const isPacked = values.packed;
const env = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
const music = makeDesktopMusic(join(dir, 'music'));
const source = values.electron === undefined ? root : await makeOlderShell(join(dir, 'app'));
const program = isPacked ? packedProgram() : values.electron;
const args = [
  ...(isPacked ? [] : [source]),
  `--user-data-dir=${join(dir, 'profile')}`,
  '--lang=en-US',
  '--password-store=basic', // the test machines have no unlocked keychain
  '--use-mock-keychain',
  '--autoplay-policy=no-user-gesture-required',
];
const app = await electron.launch({
  args,
  ...(program !== undefined && { executablePath: program }),
  cwd: root,
  env: {
    ...env,
    DATA_DIR: join(dir, 'data'),
    PORT: await findDesktopPort(),
    LOCAL_MEDIA_WATCH: 'false',
    FPID_ENABLED: 'false',
    MUSICBRAINZ_ENABLED: 'false',
    COVERART_ENABLED: 'false',
  },
  timeout: PATIENCE_MS,
});
const mainProcess = app.process(); // the driver forgets it when the app has quit
mainProcess.stderr?.pipe(process.stderr);

try {
  const desktop = {
    evaluate: app.evaluate.bind(app),
    nextWindow: () => app.waitForEvent('window', { timeout: PATIENCE_MS }),
    async startAgain(link: string) {
      const path = await app.evaluate(() => process.execPath);
      await once(spawn(path, [...args, link], { cwd: root, env: process.env, stdio: 'inherit' }), 'exit');
    },
    hasQuit: async () => void (await app.waitForEvent('close', { timeout: PATIENCE_MS })),
  };
  const window = await app.firstWindow({ timeout: PATIENCE_MS });
  window.setDefaultTimeout(PATIENCE_MS);
  const { origin } = new URL(window.url());
  await useDesktopApp(desktop, window, music);
  console.log(`Memory: ${await memory(app)}`);
  await quitByTray(desktop, origin);
  console.log('The desktop app was set up, has scanned and played, did what it was told, and has quit.');
} finally {
  mainProcess.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns the memory of all processes of the app, in MB. */
function memory(app: ElectronApplication): Promise<string> {
  return app.evaluate((electron) =>
    electron.app
      .getAppMetrics()
      .map(({ type, name, memory: { workingSetSize } }) => `${name ?? type} ${Math.round(workingSetSize / 1_024)} MB`)
      .join(', '),
  );
}
