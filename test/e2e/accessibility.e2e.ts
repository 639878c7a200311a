// Checks with axe, and the width, of every page on a phone, and axe checks of dialogs and menus.
// test/e2e/pseudo-language.e2e.ts checks every page in a wide window.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBothThemes, OF_WORDS, WITHOUT_SHELL, violations } from './axe.ts';
import { openStageOfPages, pageOpener, APP_PAGES } from './pages.ts';
import { DESK_WINDOW, waitUntilDrawn, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStageOfPages();
});
afterAll(() => stage?.close());

test('no page has a violation on a phone, and none is wider than its screen at 390 and 360 px', async () => {
  const page = await stage.openAsOwner({ ...PHONE_WINDOW, colorScheme: 'light' });
  const open = pageOpener(page);
  const faults: string[] = [];
  for (const [i, path] of APP_PAGES.entries()) {
    await open(path);
    faults.push(...(await inBothThemes(page, path, { context: i === 0 ? undefined : WITHOUT_SHELL })));
    for (const width of [390, 360]) {
      await page.setViewportSize({ ...PHONE_WINDOW.viewport, width });
      await waitUntilDrawn(page);
      const wide = await page.evaluate(() =>
        [document.documentElement, document.querySelector('main')].map((element) =>
          element ? element.scrollWidth - element.clientWidth : 0,
        ),
      );
      expect.soft(wide, `${path} at ${width} px`).toEqual([0, 0]);
    }
    await page.setViewportSize(DESK_WINDOW.viewport);
    await waitUntilDrawn(page);
    faults.push(...(await violations(page, `${path}, wide`, { rules: OF_WORDS })));
    await page.setViewportSize(PHONE_WINDOW.viewport);
  }
  await page.context().close();
  expect(faults).toEqual([]);
});

test('no dialog or menu has a violation', async () => {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  const faults: string[] = [];
  // an open menu is outside of all landmarks, because it belongs to its button and not to the page
  const check = async (pageName: string) =>
    faults.push(...(await inBothThemes(page, pageName, { except: ['region'] })));
  await page.goto('/albums/1');
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await page.keyboard.press('q');
  await page.getByRole('complementary', { name: 'Queue' }).waitFor();
  await check('queue');
  await page.getByRole('button', { name: 'Playback settings' }).click();
  for (const [row, control] of [
    ['Equalizer', page.getByRole('combobox', { name: 'Preset' })],
    ['Output', page.getByRole('combobox', { name: 'Output device' })],
    ['Sleep timer', page.getByRole('radiogroup', { name: 'Sleep timer' })],
    ['Crossfade and loudness', page.getByRole('slider', { name: 'Crossfade' })],
  ] as const) {
    await page.getByRole('dialog').getByRole('button', { name: row }).click();
    await control.waitFor();
    await check(`playback settings: ${row}`);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Lyrics' }).click();
  await page.getByRole('complementary', { name: 'Lyrics' }).waitFor();
  await check('lyrics');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('a');
  await page.getByRole('option').first().waitFor();
  await check('palette');
  await page.getByRole('combobox').fill('harbour');
  await page.getByRole('group', { name: 'Online sources' }).waitFor();
  await check('palette with what a catalogue has');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await check('shortcuts');
  await page.goto('/tracks');
  await page.getByRole('grid', { name: 'Tracks' }).locator('[data-index="1"][data-track]').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('toolbar', { name: 'Selection' }).waitFor();
  await page
    .getByRole('button', { name: /^More options for/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Add to playlist' }).waitFor();
  await check('track menu and selection');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Plays' }).waitFor();
  await check('columns');
  await page.goto('/missing');
  await page
    .getByRole('button', { name: /^Find / })
    .first()
    .click();
  await page.getByRole('dialog', { name: 'Find the missing file' }).waitFor();
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
  expect(faults).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`sign-in, set-up and sharing pages have no violation: ${colorScheme}`, async () => {
    const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW, colorScheme });
    await page.goto('/sign-in');
    await page.getByLabel('Username').waitFor();
    expect(await violations(page, 'sign-in')).toEqual([]);
    await page.context().close();
  });
}
