// Launches the real desktop app on an empty data folder and waits for its set-up page: npm run desktop:smoke. Not part of `npm test`,
// because it needs Electron's binary and a display.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron as electron } from 'playwright-core';

const root = join(import.meta.dirname, '..', '..');
const dir = mkdtempSync(join(tmpdir(), 'tonearm-desktop-smoke-'));
const WAIT_MS = 60_000;

const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
const app = await electron.launch({
  args: [root, `--user-data-dir=${join(dir, 'profile')}`, '--lang=en-US'],
  cwd: root,
  env: { ...env, DATA_DIR: join(dir, 'data'), PORT: '0', LOCAL_MEDIA_WATCH: 'false' },
  timeout: WAIT_MS,
});
app.process().stderr?.pipe(process.stderr);

try {
  const window = await app.firstWindow({ timeout: WAIT_MS });
  await window.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor({ timeout: WAIT_MS });
  if (await window.getByLabel('Set-up token').isVisible()) throw new Error('The window asks for a set-up token that it should have been given.');

  const { origin } = new URL(window.url());
  await app.close();
  const answer = await fetch(`${origin}/health`).catch(() => undefined);
  if (answer) throw new Error('The server still answers after the app has quit.');
  console.log('The desktop app starts, shows its set-up page and quits.');
} finally {
  app.process().kill('SIGKILL'); // nothing when it has quit
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
