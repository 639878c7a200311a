// A language is a file: here a pseudo-language whose texts show what is not translated, are longer
// by half, and run from right to left. Every page is opened with it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PSEUDO, pseudoLanguage, pseudoText } from '../support/pseudo-language.ts';
import { openStageOfPages, pageOpener, PAGES } from './pages.ts';
import { DESK, drawn, PHONE, type Stage } from './stage.ts';

const root = join(import.meta.dirname, '..', '..');

let program: string;
let stage: Stage;
beforeAll(async () => {
  program = mkdtempSync(join(tmpdir(), 'tonearm-pseudo-'));
  const notCopied = new Set(['.git', 'docs', 'node_modules', 'test', join('dist', 'renderer')]);
  cpSync(root, program, { recursive: true, filter: (path) => !notCopied.has(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(program, 'node_modules'));
  writeFileSync(join(program, 'resources', 'languages', `${PSEUDO}.json`), pseudoLanguage());
  execFileSync(join(root, 'node_modules', '.bin', 'vite'), ['build', '--logLevel', 'error'], { cwd: program });

  stage = await openStageOfPages({ program });
});
afterAll(async () => {
  await stage?.close();
  rmSync(program, { recursive: true, force: true });
});

/** All words in the server's responses so far: names of music, and its messages. */
function noteAnswers(page: Page): () => Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  const reading = new Set<Promise<void>>();
  const note = (value: unknown): void => {
    if (typeof value === 'string') for (const [word] of value.matchAll(WORD)) words.add(word.toLowerCase());
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

/** A name that a chart truncates is not a word. */
const WORD = /[A-Za-z]{3,}(?![A-Za-z…])/g;
/** Names, units and keys that are written so in every language, and the names of languages. */
const NAMES = (
  'ctrl esc tonearm url listenbrainz last libre maloja lrclib node linux http https localhost khz kbit ' +
  'deutsch english'
).split(' ');

/** Texts and names for screen readers, with their places. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        if (node.closest('[aria-hidden=true]')) continue; // not read by anybody
        for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'])
          found.push(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest('script, style, noscript, [lang=en]')) found.push(node.textContent ?? '');
    }
    return found;
  });

/** English words that are not from the server. */
async function english(page: Page, answers: () => Promise<ReadonlySet<string>>): Promise<string[]> {
  const words = (await textsOf(page)).flatMap((text) => [...text.matchAll(WORD)].map(([word]) => word));
  const known = await answers();
  return [...new Set(words)].filter((word) => !known.has(word.toLowerCase()) && !NAMES.includes(word.toLowerCase()));
}

/** Translated texts of controls and headings that are cut off, or extend beyond the window. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cut: string[] = [];
    const controls = 'button, a, label, select, [role=tab], [role=menuitem], [role=switch], h1, h2, h3, th, dt, legend';
    for (const control of document.querySelectorAll<HTMLElement>(controls)) {
      const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!/ő/.test(node.textContent ?? '') || !node.parentElement?.checkVisibility({ opacityProperty: true }))
          continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const text = range.getBoundingClientRect();
        if (text.width < 2) continue;
        for (let box: Element | null = node.parentElement; box && box !== document.body; box = box.parentElement) {
          const { overflowX } = getComputedStyle(box);
          if (box.classList.contains('visually-hidden')) break;
          if (overflowX === 'auto' || overflowX === 'scroll') break;
          const edge = box.getBoundingClientRect();
          if (overflowX !== 'visible' && (text.left < edge.left - 1.5 || text.right > edge.right + 1.5)) {
            cut.push(`${control.tagName.toLowerCase()}.${control.className}: ${node.textContent}`);
            break;
          }
        }
      }
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) cut.push(`the page is ${scrollWidth - clientWidth} px too wide`);
    return cut;
  });

async function choosePseudo(page: Page): Promise<void> {
  await page.addInitScript((language) => localStorage.setItem('tonearm.language', language), PSEUDO);
}

test('every page is translated, uncut and mirrored, in a wide window and in a narrow one', async () => {
  const page = await stage.openAsOwner(DESK);
  await choosePseudo(page);
  const open = pageOpener(page);
  const answers = noteAnswers(page);
  const faults: string[] = [];
  for (const path of PAGES) {
    await page.setViewportSize(DESK.viewport);
    await page.goto('about:blank'); // so each page is loaded: other tests follow links
    await open(path);
    const { dir, lang } = await page.evaluate(() => {
      const { dir, lang } = document.documentElement;
      return { dir, lang };
    });
    if (dir !== 'rtl' || lang !== PSEUDO) faults.push(`${path}: runs ${dir} in ${lang}`);
    for (const { viewport } of [DESK, PHONE]) {
      await page.setViewportSize(viewport);
      await drawn(page);
      for (const word of await english(page, answers)) faults.push(`${path}: English: ${word}`);
      for (const one of await cutOff(page)) faults.push(`${path} at ${viewport.width} px: cut off: ${one}`);
    }
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the page is mirrored', async () => {
  const page = await stage.openAsOwner(DESK);
  await choosePseudo(page);
  await page.goto('/albums');
  await page.getByRole('gridcell').first().waitFor();
  const main = await page.getByRole('main').boundingBox();
  const navigation = await page.getByRole('navigation').first().boundingBox();
  expect(navigation!.x).toBeGreaterThan(main!.x + main!.width - 2);
  const cells = page.getByRole('gridcell');
  const [first, second] = [await cells.nth(0).boundingBox(), await cells.nth(1).boundingBox()];
  expect(first!.x).toBeGreaterThan(second!.x);

  await cells.first().locator('[data-stop]').focus();
  await page.keyboard.press('ArrowLeft'); // in reading direction
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index')))
    .toBe('1');
  await page.context().close();
});

test('it is in the list of languages under its own name', async () => {
  const page = await stage.openAsOwner(DESK);
  await page.goto('/settings#general');
  await page.getByLabel('Language').selectOption(PSEUDO);
  await page.getByRole('heading', { level: 1, name: pseudoText('General') }).waitFor();
  const names = await page.getByRole('combobox').locator('option').allTextContents();
  expect(names).toEqual(expect.arrayContaining(['Deutsch', 'English', expect.stringContaining('العربية')]));
  await page.context().close();
});
