// axe on every page, in both themes.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK, loseFiles, openStage, PHONE, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ scanned: false, tracks: 80, messy: 0.1, seconds: '15' });
  await (await stage.openAsOwner(DESK)).context().close();
  await loseFiles(stage, 3);
  await stage.api('/playlists', { method: 'POST', body: { name: 'Evening', track_ids: [1, 2, 3] } });
  await stage.api('/playlists', { method: 'POST', body: { name: 'Loved', rules: { all: [{ field: 'liked', op: 'is', value: true }] } } });
  await stage.api('/history', { method: 'POST', body: { items: [1, 2, 3].map((track_id) => ({ track_id, played_at: new Date(Date.now() - track_id * 3_600_000).toISOString(), played_ms: 180_000 })) } });
});
afterAll(() => stage?.close());

const PAGES = ['/', '/albums', '/albums?sort=year&genre=none-such', '/artists', '/tracks', '/genres', '/genres?view=list', '/liked', '/liked?kind=albums', '/playlists', '/playlists/1?versions=true', '/playlists/2/rules', '/playlists/new-smart', '/activity?job=1', '/missing', '/history', '/statistics', '/review', '/duplicates', '/discover', '/tracks?details=1', '/tracks?details=1&edit=true', '/albums/1', '/artists/1', '/albums/999999', '/nowhere', '/player', '/setup?step=folder', '/setup?step=network',
  ...['general', 'library', 'storage', 'metadata', 'network', 'playback', 'remote', 'accounts', 'about'].map((section) => `/settings#${section}`)];

/** Every serious or critical violation as a line, once. */
async function violations(page: Page, where: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${where}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.split('\n').slice(1).join(' ')}`));
}

const settled = (page: Page) => page.waitForFunction(() => document.querySelector('h1, h2') && [...document.images].every((image) => image.complete || image.loading === 'lazy'));

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, device] of [['desk', DESK], ['phone', PHONE]] as const) {
    test(`no page has a serious violation: ${colorScheme}, ${name}`, async () => {
      const page = await stage.openAsOwner({ ...device, colorScheme });
      const found: string[] = [];
      for (const path of PAGES) {
        await page.goto(path);
        await settled(page);
        found.push(...(await violations(page, path)));
      }
      await page.context().close();
      expect(found).toEqual([]);
    });
  }

  test(`nothing that opens has a serious violation: ${colorScheme}`, async () => {
    const page = await stage.openAsOwner({ ...DESK, colorScheme });
    const found: string[] = [];
    const check = async (where: string) => found.push(...(await violations(page, where)));
    await page.goto('/albums/1');
    await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
    await page.keyboard.press('q');
    await page.getByRole('complementary', { name: 'Queue' }).waitFor();
    await check('queue');
    await page.getByRole('button', { name: 'Playback settings' }).click();
    await page.getByRole('slider', { name: 'Crossfade' }).waitFor();
    await check('playback settings');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Lyrics' }).click();
    await page.getByRole('complementary', { name: 'Lyrics' }).waitFor();
    await check('lyrics');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('a');
    await page.getByRole('option').first().waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await check('shortcuts');
    await page.goto('/tracks');
    await page.getByRole('grid', { name: 'Tracks' }).locator('[data-index="1"]').focus();
    await page.keyboard.press('Space');
    await page.getByRole('toolbar', { name: 'Selection' }).waitFor();
    await page.getByRole('button', { name: /^More for/ }).last().click();
    await page.getByRole('menuitem', { name: 'Add to playlist' }).waitFor();
    await check('track menu and selection');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Plays' }).waitFor();
    await check('columns');
    await page.goto('/missing');
    await page.getByRole('button', { name: /^Find / }).first().click();
    await page.getByRole('dialog', { name: 'Where is it now?' }).waitFor();
    await check('where a missing track is now');
    await page.goto('/albums');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('From year').waitFor();
    await check('filter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
    await check('menu');
    await page.context().close();
    expect(found).toEqual([]);
  });

  test(`the doors have no serious violation: ${colorScheme}`, async () => {
    const page = await stage.openPage({ baseURL: stage.url, ...DESK, colorScheme });
    await page.goto('/sign-in');
    await page.getByLabel('User name').waitFor();
    expect(await violations(page, 'sign-in')).toEqual([]);
    await page.context().close();
  });
}
