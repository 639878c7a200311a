// Visits every page at every width, at 200 % zoom, in light, dark and high contrast, from right to left with texts that
// are half as long again, and with names of 300 characters: nothing is cut off, covered or beyond the edge, and neither
// the console nor the network reports an error or a warning. TOUR_PICTURES is a folder for a picture of each page;
// TOUR_PAGES (the start of their addresses) and TOUR_LANGUAGE restrict the tour. TOUR_DONE is a file of the pages that
// passed, which are not visited again, so that an interrupted tour can continue.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { layoutFaults } from '../e2e/layout-faults.ts';
import { openStageOfPages, pageOpener, pagesOfLongNames, APP_PAGES } from '../e2e/pages.ts';
import { DESK_WINDOW, waitUntilDrawn, PHONE_WINDOW, type Stage } from '../e2e/stage.ts';
import { enliven } from '../support/lively-library.ts';
import { buildPseudoProgram, PSEUDO } from '../support/pseudo-language.ts';

interface Look {
  name: string;
  viewport: { width: number; height: number };
  media?: Parameters<Page['emulateMedia']>[0];
}

const PLAIN_SCHEME = { colorScheme: 'light', forcedColors: 'none' } as const;
/**
 * The window sizes and themes; at a zoom of 200 %, a window of 1440 × 900 px has half as many pixels in each direction.
 */
const WIDE_LOOKS: readonly [Look, ...Look[]] = [
  { name: '2560', viewport: { width: 2560, height: 1440 } },
  { name: '1440', viewport: DESK_WINDOW.viewport },
  { name: '1440 dark', viewport: DESK_WINDOW.viewport, media: { colorScheme: 'dark' } },
  { name: '1440 high contrast', viewport: DESK_WINDOW.viewport, media: { forcedColors: 'active' } },
  { name: '1024', viewport: { width: 1024, height: 768 } },
  { name: '768', viewport: { width: 768, height: 1024 } },
  { name: '200 %', viewport: { width: 720, height: 450 } },
];
const NARROW_LOOKS: readonly [Look, ...Look[]] = [
  { name: '390', viewport: PHONE_WINDOW.viewport },
  { name: '390 dark', viewport: PHONE_WINDOW.viewport, media: { colorScheme: 'dark' } },
  { name: '320', viewport: { width: 320, height: 640 } },
];
const TOUR_LANGUAGES = ['en', PSEUDO];
/**
 * Number of pages that one window visits: Chromium stops drawing a window that was resized and photographed some 230
 * times.
 */
const PAGES_OF_A_WINDOW = 8;
/** Matches a response that the tour itself provokes. */
const EXPECTED_FAILURE = /\/api\/v1\/albums\/999999/;

/** Scrolls the main part of the page; returns false if there is nothing to scroll. */
const scrollMain = (page: Page, top: number): Promise<boolean> =>
  page.evaluate((to) => {
    const mainElement = document.querySelector('main');
    mainElement?.scrollTo(0, to);
    return (mainElement?.scrollTop ?? 0) > 0;
  }, top);

const doneFile = process.env['TOUR_DONE'];
const readDone = (): Set<string> =>
  new Set(doneFile && existsSync(doneFile) ? readFileSync(doneFile, 'utf8').split('\n') : []);
const nameOf = (language: string, path: string, [{ name }]: readonly [Look, ...Look[]]): string =>
  `${language} ${path} from ${name}`;

async function visit(
  stage: Stage,
  device: BrowserContextOptions,
  looks: readonly [Look, ...Look[]],
  { language, paths }: { language: string; paths: readonly string[] },
): Promise<string[]> {
  const faults: string[] = [];
  const page = await stage.openAsOwner({ ...device, serviceWorkers: 'allow' });
  await page.addInitScript((languageCode) => localStorage.setItem('tonearm.language', languageCode), language);
  let currentPlace = '';
  const note = (problem: string): void => {
    const fault = `${language} ${currentPlace}: ${problem}`;
    faults.push(fault);
    console.log(fault);
  };
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || EXPECTED_FAILURE.test(message.location().url)) return;
    note(`console: ${message.text()}`);
  });
  page.on('crash', () => {
    // without this error, pending calls to the crashed page would never end
    throw new Error(`${currentPlace}: the page crashed`);
  });
  page.on('pageerror', (error) => note(`script: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !EXPECTED_FAILURE.test(response.url()))
      note(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // requests are aborted when the page is left
    if (reason !== 'net::ERR_ABORTED') note(`${reason}: ${request.url()}`);
  });
  const open = pageOpener(page);
  const pictures = process.env['TOUR_PICTURES'];
  for (const path of paths) {
    currentPlace = path;
    const faultsBefore = faults.length;
    await open(path);
    for (const { name, viewport, media } of looks) {
      currentPlace = `${path} at ${name}`;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ ...PLAIN_SCHEME, ...media });
      await waitUntilDrawn(page);
      for (const fault of await layoutFaults(page)) note(fault);
      if (pictures) {
        const file = `${path.slice(1).replaceAll(/\W+/g, '-') || 'home'} ${language} ${name.replaceAll(/\W+/g, '-')}.png`;
        await page.screenshot({ path: join(pictures, file) });
      }
      if (!(await scrollMain(page, 1e6))) continue;
      await waitUntilDrawn(page);
      currentPlace += ', at the end';
      for (const fault of await layoutFaults(page)) note(fault);
      await scrollMain(page, 0);
    }
    if (doneFile && faults.length === faultsBefore) appendFileSync(doneFile, `${nameOf(language, path, looks)}\n`);
  }
  await page.context().close();
  return faults;
}

export async function proveTour(): Promise<boolean> {
  const program = buildPseudoProgram();
  const stage = await openStageOfPages({ program });
  const faults: string[] = [];
  const donePaths = readDone();
  try {
    if (process.env['TOUR_PICTURES']) mkdirSync(process.env['TOUR_PICTURES'], { recursive: true });
    await enliven(stage.api);
    const pageFilter = process.env['TOUR_PAGES'];
    const paths = [...APP_PAGES, ...(await pagesOfLongNames(stage))].filter(
      (path) => !pageFilter || path.startsWith(pageFilter),
    );
    const languages = process.env['TOUR_LANGUAGE']?.split(' ') ?? TOUR_LANGUAGES;
    for (const language of languages)
      for (const [device, looks] of [
        [DESK_WINDOW, WIDE_LOOKS],
        [PHONE_WINDOW, NARROW_LOOKS],
      ] as const) {
        const remainingPaths = paths.filter((path) => !donePaths.has(nameOf(language, path, looks)));
        for (let firstIndex = 0; firstIndex < remainingPaths.length; firstIndex += PAGES_OF_A_WINDOW) {
          const nextPaths = remainingPaths.slice(firstIndex, firstIndex + PAGES_OF_A_WINDOW);
          faults.push(...(await visit(stage, device, looks, { language, paths: nextPaths })));
        }
      }
    const lookCount = languages.length * (WIDE_LOOKS.length + NARROW_LOOKS.length);
    const exception = donePaths.size > 0 ? ', without those that passed before' : '';
    console.log(`${paths.length} pages, each in ${lookCount} ways${exception}: ${faults.length} faults`);
    return faults.length === 0;
  } finally {
    await stage.close();
    await stage.browser.close();
    rmSync(program, { recursive: true, force: true });
  }
}
