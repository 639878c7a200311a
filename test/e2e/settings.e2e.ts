// Settings are validated while typing, apply at once, and display their origin.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { SettingsOut } from '../../server/settings/wire.ts';
import { DESK_WINDOW, openStage, OWNER_ACCOUNT, type Stage } from './stage.ts';

let stage: Stage;
let backups: string;
beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), 'tonearm-backups-'));
  stage = await openStage({ tracks: 10 });
});
afterAll(async () => {
  await stage?.close();
  rmSync(backups, { recursive: true, force: true });
});

/** Returns the errors of all pages without rejected values, which Chromium also reports. */
const problems = () => stage.problems.filter((text) => !/status of (403|422)/.test(text));
const settingOf = async (key: string) =>
  (await stage.api<SettingsOut>('/settings')).items.find((item) => item.key === key);

test('settings are validated while typing, apply at once, and show their origin', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Library', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();

  // The folder of --import is kept, and can be changed here.
  await page.getByRole('region', { name: 'Music folders' }).getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change music folder' });
  const folder = dialog.getByRole('textbox', { name: 'Folder', exact: true });
  await expect.poll(() => folder.inputValue()).toBe(stage.library.dir);
  expect(await folder.isDisabled()).toBe(false);
  await dialog.getByRole('button', { name: 'Cancel' }).last().click();
  await page.getByText(/^Finished on /).waitFor();

  await page.getByRole('switch', { name: 'Watch the folder' }).click({ force: true });
  await expect.poll(async () => (await settingOf('local_media_watch'))?.value).toBe(false);
  await page.getByRole('button', { name: 'Use default: Watch the folder' }).click();
  await expect.poll(async () => settingOf('local_media_watch')).toMatchObject({ value: true, origin: 'default' });

  await page.getByRole('link', { name: 'Network & phones' }).click();
  await page.getByRole('heading', { level: 1, name: 'Network & phones' }).waitFor();
  await page.getByText('Advanced').click();
  const port = page.getByLabel('Port', { exact: true });
  const previousPort = await port.inputValue();
  expect(await port.isDisabled()).toBe(true); // --port overrides the setting
  await page.getByText('Set by the server’s environment').waitFor();
  expect(previousPort).toBe('0');
  const hosts = page.getByRole('textbox', { name: 'Additional host names' });
  await hosts.fill('music.example.org');
  await hosts.press('Enter');
  await expect
    .poll(async () => settingOf('allowed_hosts'))
    .toMatchObject({ value: 'music.example.org', origin: 'file' });
  await page.getByRole('status').filter({ hasText: 'Saved' }).first().waitFor();

  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  await page.getByText('Advanced').click();
  const lasts = page.getByRole('textbox', { name: 'Sign-in expires after' });
  await lasts.fill('soon');
  await page.getByText('must be a number and s, m, h or d, such as 7d').waitFor();
  expect((await settingOf('access_token_ttl'))?.value).toBe('7d');
  await lasts.press('Escape');
  await expect.poll(() => lasts.inputValue()).toBe('7d');
  await lasts.fill('12h');
  await lasts.press('Enter');
  await expect.poll(async () => (await settingOf('access_token_ttl'))?.value).toBe('12h');

  await page.getByRole('link', { name: 'Metadata' }).click();
  await page.getByRole('textbox', { name: 'AcoustID key' }).fill('my-key-0815');
  await page.getByRole('textbox', { name: 'AcoustID key' }).press('Enter');
  await expect.poll(async () => settingOf('fpid_api_key')).toMatchObject({ is_set: true, value: null });
  await expect.poll(() => page.getByRole('textbox', { name: 'AcoustID key' }).inputValue()).toBe('');
  const trust = page.getByRole('slider', { name: 'Trust threshold' });
  await trust.press('End');
  await page.getByText(/^Careful: only matches above 100%/).waitFor();
  expect(problems()).toEqual([]);
  await page.context().close();
});

test('a change that needs a restart says so, and the language changes at once in every window', async () => {
  const [page, otherPage] = [await stage.openAsOwner(DESK_WINDOW), await stage.openAsOwner(DESK_WINDOW)];
  await page.goto('/settings#general');
  await page.getByLabel('Log level', { exact: true }).selectOption('warn');
  await page.getByText('Saved; restart needed').waitFor();
  await page.getByText('Restart Tonearm on the computer it runs on.').waitFor(); // a browser cannot restart the server
  expect(await page.getByRole('button', { name: 'Restart server' }).count()).toBe(0);
  await otherPage.goto('/settings#general');
  await otherPage.getByText('Saved; restart needed').waitFor();
  await otherPage.context().close();

  const library = await page.context().newPage();
  await library.goto('/albums');
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('heading', { level: 1, name: 'Allgemein' }).waitFor();
  await library.getByRole('heading', { level: 1, name: 'Alben' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('de');
  await page.context().close();
});

test('an ordinary user sees their own settings, and the owner can set a new password for them', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#accounts');
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.getByLabel('Username').fill('ann');
  await page.getByLabel('Password', { exact: true }).fill('a good password');
  await page.getByLabel('Jukebox').uncheck();
  await page.getByLabel('Quota for added music').fill('2');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'More options for ann' }).click();
  await page.getByRole('menuitem', { name: 'Reset password' }).click();
  await page.getByLabel('New password for ann').fill('short');
  await page.getByLabel('New password for ann').fill('another good one');
  await page.getByRole('button', { name: 'Reset password' }).click();
  await page.getByLabel('New password for ann').waitFor({ state: 'detached' });

  const hers = await stage.openPage({ ...DESK_WINDOW, baseURL: stage.url });
  await hers.goto('/settings#network');
  await hers.getByLabel('Username').fill('ann');
  await hers.getByLabel('Password', { exact: true }).fill('another good one');
  await hers.getByRole('button', { name: 'Sign in' }).click();
  await hers.getByRole('heading', { level: 1, name: 'Network & phones' }).waitFor();
  const sections = hers.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  await expect
    .poll(() => sections.allTextContents())
    .toEqual(['Back to the library', 'General', 'Network & phones', 'Playback', 'Your account', 'About']);
  await hers.getByRole('button', { name: 'Show', exact: true }).click();
  await hers.getByRole('button', { name: 'Replace' }).waitFor();

  await sections.filter({ hasText: 'Your account' }).click();
  await hers.getByRole('heading', { level: 2, name: 'ann' }).waitFor();
  await hers.getByRole('heading', { level: 2, name: 'Scrobbling' }).waitFor();
  const groups = ['ann', 'Password', 'App passwords', 'Scrobbling', 'Signed in'];
  // the new user sees only her own account
  await expect.poll(() => hers.getByRole('heading', { level: 2 }).allTextContents()).toEqual(groups);
  expect(await hers.getByRole('button', { name: 'Add user' }).count()).toBe(0);
  const changePassword = async (current: string) => {
    await hers.getByLabel('Current password').fill(current);
    await hers.getByLabel('New password').fill('her own good one');
    await hers.getByRole('button', { name: 'Change password' }).click();
  };
  await changePassword('a good password'); // the old password no longer works
  await hers.getByText('is wrong').waitFor();
  await changePassword('another good one');
  await hers.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  await hers.reload();
  await hers.getByRole('heading', { level: 2, name: 'ann' }).waitFor(); // her window stays signed in
  await hers.getByText('Edit the library, Jukebox').waitFor(); // lists the rights that she lacks
  await hers.getByText('2 GB').waitFor();
  await hers.context().close();

  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('button', { name: 'More options for ann' }).click();
  await page.getByRole('menuitem', { name: 'Sign-ins and app passwords' }).click();
  const access = page.getByRole('region', { name: 'Sign-ins and app passwords of ann' });
  await access.getByText('App password “default”').waitFor();
  await access.getByRole('button', { name: 'Revoke' }).click();
  await access.getByText('App password “default”').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await access.getByRole('button', { name: 'Sign out' }).click();
  await access.getByText('Not signed in anywhere').waitFor();
  expect(problems()).toEqual([]);
  await page.context().close();
});

test('app passwords are made for a device and revoked, and other sessions are ended', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#account');
  await page.getByLabel('New app password').fill('Phone');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const group = page.getByRole('region', { name: 'App passwords' });
  const password = await group.getByText(/^[a-z\d]{7}(-[a-z\d]{7}){3}$/).textContent();
  const ping = async (): Promise<string> =>
    (await fetch(`${stage.url}/rest/ping?apiKey=${password}&v=1.16.1&c=DSub&f=json`)).text();
  expect(await ping()).toContain('"ok"');
  await page.reload();
  await group.getByText(/Last used .* · DSub · 127\.0\.0\.1/).waitFor();
  await group.getByRole('button', { name: 'Revoke Phone' }).click();
  await group.getByRole('button', { name: 'Revoke', exact: true }).click();
  await group.getByText('Phone', { exact: true }).waitFor({ state: 'detached' });
  await expect.poll(ping).toContain('"code":44');

  const signIn = async (): Promise<string> =>
    (await stage.api<TokenResponse>('/auth/login', { method: 'POST', body: OWNER_ACCOUNT })).access_token;
  const tokens = [await signIn(), await signIn(), await signIn()];
  const listAcceptedTokens = (): Promise<boolean[]> =>
    Promise.all(
      tokens.map(async (token) => {
        const headers = { Authorization: `Bearer ${token}` };
        return (await fetch(`${stage.url}/api/v1/users/me`, { headers })).ok;
      }),
    );
  await page.reload();
  const sessions = page.getByRole('region', { name: 'Signed in' });
  await sessions.getByText('Current session', { exact: true }).waitFor();
  await sessions.getByRole('button', { name: 'Sign out node' }).first().click();
  await expect.poll(async () => (await listAcceptedTokens()).filter(Boolean).length).toBe(2);
  await sessions.getByRole('button', { name: 'Sign out', exact: true }).click();
  await sessions.getByRole('button').first().waitFor({ state: 'detached' });
  await expect.poll(listAcceptedTokens).toEqual([false, false, false]);
  expect(problems()).toEqual([]);
  await page.context().close();
});

test('a backup target is tested, a backup is made, and restoring it can be cancelled', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#storage');
  const location = page.getByRole('textbox', { name: 'Backup location' });
  await location.fill(backups);
  await location.press('Enter');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText(`${backups} works and contains 0 backups.`).waitFor();

  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect.poll(async () => (await stage.api<{ items: unknown[] }>('/backups')).items.length).toBe(1);
  await page.reload();
  await page
    .getByRole('list', { name: 'Backups' })
    .getByRole('button', { name: /^Restore the backup of / })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
  await dialog.getByText('the current library is moved aside, not deleted.').waitFor();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Everything is downloaded and verified.').waitFor();
  await page.getByRole('button', { name: 'Keep the current library' }).click();
  await page.getByText('Everything is downloaded and verified.').waitFor({ state: 'detached' });
  expect((await stage.api<{ restore: unknown }>('/backups')).restore).toBe(null);

  expect(await page.getByRole('button', { name: 'Test object store' }).count()).toBe(0);
  await location.fill('s3');
  await location.press('Enter');
  await page.getByRole('textbox', { name: 'Backup bucket', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Test object store' }).click();
  await page
    .getByRole('region', { name: 'Where files are stored' })
    .getByRole('alert')
    .filter({ hasText: 'S3_BUCKET' })
    .waitFor();
  expect(problems()).toEqual([]);
  await page.context().close();
});

test('the library is exported, and replacing it by an export can be cancelled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-export-'));
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#storage');
  await page.getByRole('button', { name: 'Export…' }).click();
  const exportDialog = page.getByRole('dialog', { name: 'Export the library' });
  const path = exportDialog.getByRole('textbox', { name: 'Folder for the export' });
  const start = exportDialog.getByRole('button', { name: 'Export', exact: true });
  await exportDialog.getByRole('list').waitFor();
  const previousBox = await start.boundingBox();
  await path.fill('/no such folder');
  await exportDialog.getByRole('alert').waitFor();
  expect(await start.boundingBox()).toEqual(previousBox); // nothing moves while the user types
  await path.fill(folder);
  await exportDialog.getByRole('list', { name: folder }).waitFor();
  expect(await start.boundingBox()).toEqual(previousBox);
  await start.click();
  await exportDialog.waitFor({ state: 'detached' });
  await page.getByText(/^The last export wrote \d+ tracks to /).waitFor();
  expect(readdirSync(folder)).toContain('Music');

  await page.getByRole('button', { name: 'Import…' }).click();
  const importDialog = page.getByRole('dialog', { name: 'Import a library' });
  await importDialog.getByText('This library is moved aside, not deleted.').waitFor();
  await importDialog.getByRole('textbox', { name: 'Folder of the export' }).fill(folder);
  await importDialog.getByRole('button', { name: 'Replace this library' }).click();
  await page.getByText(/^\d+ tracks were read and checked\.$/).waitFor();
  await page.getByRole('button', { name: 'Keep the current library' }).click();
  await page.getByText('Everything is downloaded and verified.').waitFor({ state: 'detached' });
  expect(problems()).toEqual([]);
  await page.context().close();
  rmSync(folder, { recursive: true });
});
