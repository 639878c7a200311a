// Runs axe in both themes. Opening a page takes as long as checking it, so the theme of an open page is changed. In the
// second theme only colours are checked, since nothing else differs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { waitUntilStill } from './stage.ts';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
export interface PagePart {
  exclude: string[][];
}
/** Excludes the side bar and the bottom bars, which are the same on every page; only the first page checks them. */
export const WITHOUT_SHELL: PagePart = { exclude: [['nav'], ['footer']] };
/** Rules whose result depends on the language. */
export const OF_WORDS = ['label-content-name-mismatch'];
/** Rules whose result depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns each violation as a line of text. */
export async function violations(
  page: Page,
  pageName: string,
  { context, rules, except = [] }: { context?: PagePart; rules?: string[]; except?: string[] } = {},
): Promise<string[]> {
  await waitUntilStill(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const { violations: foundViolations } = await page.evaluate(
    ([context, runOnly, except]) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(context ?? document, {
        resultTypes: ['violations'],
        rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])),
        ...(runOnly && { runOnly }),
      }),
    [context, rules, except] as const,
  );
  return foundViolations.flatMap(({ id, nodes }) =>
    nodes.map(
      (node) => `${pageName}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.split('\n').slice(1).join(' ')}`,
    ),
  );
}

export async function inBothThemes(
  page: Page,
  pageName: string,
  { context, except = [] }: { context?: PagePart | undefined; except?: string[] } = {},
): Promise<string[]> {
  const light = await violations(page, pageName, { except, ...(context && { context }) });
  await changeTheme(page, 'dark');
  const dark = await violations(page, `${pageName}, dark`, { rules: COLOUR_RULES, ...(context && { context }) });
  await changeTheme(page, 'light');
  return [...light, ...dark];
}

/**
 * Changes the theme like another window does. A change of the system's theme would reach a page in the background only
 * when it is drawn next, which may be never.
 */
async function changeTheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('tonearm.scheme', chosen);
    dispatchEvent(new StorageEvent('storage', { key: 'tonearm.scheme' }));
    if (document.documentElement.dataset['mantineColorScheme'] !== chosen) throw new Error(`the page is not ${chosen}`);
  }, scheme);
}
