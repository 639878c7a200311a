// A music folder that does not fit into the library is reported on the current page, with a way to continue, on a phone
// in German.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import { openStage, OWNER_ACCOUNT, PHONE_WINDOW, untilIdle, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 10, env: { MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) } });
});
afterAll(() => stage?.close());

test('refused folders are listed during set-up, on Home and in the settings, and can be indexed', async () => {
  const page = await stage.openPage({ baseURL: stage.url, ...PHONE_WINDOW, locale: 'de-DE' });
  await page.goto(`/setup?token=${stage.setupToken}`);
  await page.getByLabel('Benutzername').fill(OWNER_ACCOUNT.username);
  await page.getByLabel('Passwort', { exact: true }).fill(OWNER_ACCOUNT.password);
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByRole('heading', { name: 'Deine Musik' }).waitFor();
  await stage.signIn();
  await untilIdle(() => stage.api<{ items: JobOut[] }>('/jobs'));
  await page.reload();
  await page.getByText(/Nothing of the music folder .* was copied/).waitFor();

  await page.goto('/');
  await page.getByText(/Nothing of the music folder .* was copied/).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE_WINDOW.viewport.width);
  await page.goto('/settings#library');
  await page.getByText(/Nothing of the music folder .* was copied/).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE_WINDOW.viewport.width);

  await page.goto('/');
  await page.getByRole('link', { name: 'Ordner oder Importmodus ändern' }).click();
  await page.getByRole('radio', { name: /Dateien lassen, wo sie sind/ }).check();
  await page.getByRole('button', { name: 'Einlesen' }).click();
  await page.getByRole('heading', { name: 'Zuletzt hinzugefügt' }).waitFor();
});
