// axe on every page, in both themes. Opening a page takes as long as checking it, so each is opened once and changes
// its theme; the second time only colours are checked, since nothing else differs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStageOfPages, pageOpener, PAGES } from './pages.ts';
import { DESK, PHONE, still, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStageOfPages();
});
afterAll(() => stage?.close());

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
interface Part {
  exclude: string[][];
}
/** The side bar and the bars below are the same on every page: checked once, on the first. */
const SHELL: Part = { exclude: [['nav'], ['footer']] };
/** What a theme can change. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** Every violation as a line, once. */
async function violations(
  page: Page,
  where: string,
  { context, rules, except = [] }: { context?: Part; rules?: string[]; except?: string[] } = {},
): Promise<string[]> {
  await still(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const { violations: found } = await page.evaluate(
    ([context, runOnly, except]) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(context ?? document, {
        resultTypes: ['violations'],
        rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
        ...(runOnly && { runOnly }),
      }),
    [context, rules, except] as const,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      (node) => `${where}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.split('\n').slice(1).join(' ')}`,
    ),
  );
}

async function inBothThemes(
  page: Page,
  where: string,
  { context, except = [] }: { context?: Part | undefined; except?: string[] } = {},
): Promise<string[]> {
  const light = await violations(page, where, { except, ...(context && { context }) });
  await changeTheme(page, 'dark');
  const dark = await violations(page, `${where}, dark`, { rules: COLOURS, ...(context && { context }) });
  await changeTheme(page, 'light');
  return [...light, ...dark];
}

/**
 * Like another window: a page in the background learns of the system's theme when it is drawn next, which may
 * be never.
 */
async function changeTheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('tonearm.scheme', chosen);
    dispatchEvent(new StorageEvent('storage', { key: 'tonearm.scheme' }));
    if (document.documentElement.dataset['mantineColorScheme'] !== chosen) throw new Error(`the page is not ${chosen}`);
  }, scheme);
}

for (const [name, device] of [
  ['desk', DESK],
  ['phone', PHONE],
] as const) {
  test(`no page has a violation: ${name}`, async () => {
    const page = await stage.openAsOwner({ ...device, colorScheme: 'light' });
    const open = pageOpener(page);
    const found: string[] = [];
    for (const [i, path] of PAGES.entries()) {
      await open(path);
      found.push(...(await inBothThemes(page, path, { context: i === 0 ? undefined : SHELL })));
    }
    await page.context().close();
    expect(found).toEqual([]);
  });
}

test('no dialog or menu has a violation', async () => {
  const page = await stage.openAsOwner({ ...DESK, colorScheme: 'light' });
  const found: string[] = [];
  // an open menu is no part of the page: it is in no landmark, and goes with its button
  const check = async (where: string) => found.push(...(await inBothThemes(page, where, { except: ['region'] })));
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
  await page.getByRole('toolbar', { name: 'Selection' }).waitFor();
  await page
    .getByRole('button', { name: /^More for/ })
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
  expect(found).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`sign-in, set-up and sharing pages have no violation: ${colorScheme}`, async () => {
    const page = await stage.openPage({ baseURL: stage.url, ...DESK, colorScheme });
    await page.goto('/sign-in');
    await page.getByLabel('User name').waitFor();
    expect(await violations(page, 'sign-in')).toEqual([]);
    await page.context().close();
  });
}
