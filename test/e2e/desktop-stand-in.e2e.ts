// The steps of desktop-smoke.ts with the tests' replacement for Electron, so that a fault in them, in the built shell
// or in the preload script is found where there is no Electron.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fake } from '../fakes/electron.ts';
import { startStandInApp } from '../support/stand-in-app.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { findDesktopPort, makeDesktopMusic, quitByTray, useDesktopApp } from './desktop-steps.ts';
import { sharedBrowser } from './stage.ts';

test('a user sets the app up, scans, plays, uses tray, player window, keys, links and files, and quits', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-desktop-'));
  const settings = {
    DATA_DIR: join(dir, 'data'),
    PORT: await findDesktopPort(),
    SECRET_STORE: 'file',
    LOCAL_MEDIA_WATCH: 'false',
    FPID_ENABLED: 'false',
    MUSICBRAINZ_ENABLED: 'false',
    COVERART_ENABLED: 'false',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  try {
    const music = makeDesktopMusic(join(dir, 'music'));
    const { app, window } = await startStandInApp(await sharedBrowser());
    window.setDefaultTimeout(PATIENCE_MS);
    const { origin } = new URL(window.url());
    await useDesktopApp(app, window, music);
    await quitByTray(app, origin);
    expect(fake.windows).toEqual([]);
    expect(fake.messages).toEqual([]);
  } finally {
    fake.reset();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
});
