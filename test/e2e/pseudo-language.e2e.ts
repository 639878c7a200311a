// A pseudo-language is added as a file: its texts show what is not translated, are half as long again, and run from
// right to left. Every page is opened in it, and also checked with axe, which hardly depends on the language.
import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPseudoProgram, PSEUDO, pseudoText } from '../support/pseudo-language.ts';
import { inBothThemes, OF_WORDS, WITHOUT_SHELL } from './axe.ts';
import { layoutFaults } from './layout-faults.ts';
import { openStageOfPages, pageOpener, APP_PAGES } from './pages.ts';
import { DESK_WINDOW, waitUntilDrawn, PHONE_WINDOW, type Stage } from './stage.ts';

let program: string;
let stage: Stage;
beforeAll(async () => {
  program = buildPseudoProgram();
  stage = await openStageOfPages({ program });
});
afterAll(async () => {
  await stage?.close();
  rmSync(program, { recursive: true, force: true });
});

/** Returns a function that returns all words in the server's responses so far: names of music, and messages. */
function noteAnswers(page: Page): () => Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  const reading = new Set<Promise<void>>();
  const note = (value: unknown): void => {
    if (typeof value === 'string') for (const [word] of value.matchAll(PLAIN_WORD)) words.add(word.toLowerCase());
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(note);
  };
  page.on('response', (response) => {
    if (response.headers()['content-type']?.includes('json')) reading.add(response.json().then(note, () => undefined));
  });
  return async () => {
    await Promise.all(reading);
    return words;
  };
}

/** Matches complete words; a name that a chart truncates with an ellipsis is not one. */
const PLAIN_WORD = /[A-Za-z]{3,}(?![A-Za-z…])/g;
/** Numbers of movements, which are the same in every language. */
const ROMAN_NUMBER = /^[IVX]+$/;
/** Names, units and keys that are the same in every language, and the names of languages. */
const NAME_PATTERN = (
  'ctrl esc tonearm url listenbrainz last libre maloja lrclib node linux http https localhost khz kbit ' +
  'deutsch english'
).split(' ');

/** Returns the texts of a page and its names for screen readers, with their places. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        if (node.closest('[aria-hidden=true]')) continue; // screen readers do not read hidden texts
        for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'])
          texts.push(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest('script, style, noscript, [lang=en]')) texts.push(node.textContent ?? '');
    }
    return texts;
  });

/** Returns the English words on a page that did not come from the server. */
async function english(page: Page, answers: () => Promise<ReadonlySet<string>>): Promise<string[]> {
  const words = (await textsOf(page)).flatMap((text) => [...text.matchAll(PLAIN_WORD)].map(([word]) => word));
  const serverWords = await answers();
  return [...new Set(words)].filter(
    (word) =>
      !serverWords.has(word.toLowerCase()) && !NAME_PATTERN.includes(word.toLowerCase()) && !ROMAN_NUMBER.test(word),
  );
}

async function choosePseudo(page: Page): Promise<void> {
  await page.addInitScript((language) => localStorage.setItem('tonearm.language', language), PSEUDO);
}

test('every page is translated, uncut and mirrored, in a wide window and in a narrow one, and has no violation', async () => {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await choosePseudo(page);
  const open = pageOpener(page);
  const answers = noteAnswers(page);
  const faults: string[] = [];
  for (const [i, path] of APP_PAGES.entries()) {
    await page.setViewportSize(DESK_WINDOW.viewport);
    await page.goto('about:blank'); // each page is loaded as a whole, while other tests follow links
    await open(path);
    const { dir, lang } = await page.evaluate(() => {
      const { dir, lang } = document.documentElement;
      return { dir, lang };
    });
    faults.push(
      ...(await inBothThemes(page, path, { context: i === 0 ? undefined : WITHOUT_SHELL, except: OF_WORDS })),
    );
    if (dir !== 'rtl' || lang !== PSEUDO) faults.push(`${path}: runs ${dir} in ${lang}`);
    for (const { viewport } of [DESK_WINDOW, PHONE_WINDOW]) {
      await page.setViewportSize(viewport);
      await waitUntilDrawn(page);
      for (const word of await english(page, answers)) faults.push(`${path}: English: ${word}`);
      for (const fault of await layoutFaults(page)) faults.push(`${path} at ${viewport.width} px: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the page is mirrored', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await choosePseudo(page);
  await page.goto('/albums');
  await page.getByRole('gridcell').first().waitFor();
  const mainBox = await page.getByRole('main').boundingBox();
  const navigation = await page.getByRole('navigation').first().boundingBox();
  expect(navigation!.x).toBeGreaterThan(mainBox!.x + mainBox!.width - 2);
  const cells = page.getByRole('gridcell');
  const [firstBox, secondBox] = [await cells.nth(0).boundingBox(), await cells.nth(1).boundingBox()];
  expect(firstBox!.x).toBeGreaterThan(secondBox!.x);

  await cells.first().locator('[data-stop]').focus();
  await page.keyboard.press('ArrowLeft'); // the left arrow moves in reading direction
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index')))
    .toBe('1');
  await page.context().close();
});

test('the pseudo-language is in the list of languages under its own name', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/settings#general');
  await page.getByLabel('Language').selectOption(PSEUDO);
  await page.getByRole('heading', { level: 1, name: pseudoText('General') }).waitFor();
  const names = await page.getByRole('combobox').locator('option').allTextContents();
  expect(names).toEqual(expect.arrayContaining(['Deutsch', 'English', expect.stringContaining('العربية')]));
  await page.context().close();
});
