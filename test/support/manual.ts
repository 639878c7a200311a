// Reads the documentation, so that tests can compare its pages with the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './product.ts';

/** Paths of all pages in the repository. */
export const PAGES = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
/** Paths of the pages for people who run Tonearm. */
export const MANUALS = [
  'README.md',
  ...['INSTALL', 'BACKUP', 'STORAGE', 'SECURITY', 'SUBSONIC'].map((name) => join('docs', `${name}.md`)),
];

export const readSource = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns a page without line breaks inside paragraphs, so that sentences can be searched for. */
export const sentencesOf = (page: string): string => readSource(page).replaceAll(/\s+/g, ' ');

/** Returns the text below a heading, up to the next heading. Throws if the page has no such heading. */
export function sectionOf(page: string, heading: string): string {
  const section = readSource(page)
    .split(/^(?=#+ )/m)
    .find((text) => text.split('\n', 1)[0]?.replace(/^#+ /, '') === heading);
  if (section === undefined) throw new Error(`${page} has no heading "${heading}"`);
  return section;
}

/** Returns the rows of all tables in a text, as cells, without the header rows. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\|(?:[-: ]+\|)+\n((?:\|.*\n?)*)/gm)].flatMap(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .filter((row) => row !== '')
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  );

/** Returns all texts in backticks. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** Returns the lines of indented code blocks that run this program, without its name and without trailing comments. */
export const commandsIn = (text: string, program: string): string[] =>
  [...text.matchAll(new RegExp(`^ {4}${program} (.+?)(?: {2,}.*)?$`, 'gm'))].map(([, line = '']) => line);

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const NUMBER_WORDS = new Map([...NUMBERS.map((word, n) => [word, n] as const), ['a', 1], ['an', 1], ['half', 0.5]]);

/**
 * Returns the number in the first group of the pattern, written in digits or as a word. Throws if the page has no such
 * number.
 */
export function figureOn(page: string, pattern: RegExp): number {
  const word = pattern.exec(sentencesOf(page))?.[1];
  const number = word === undefined ? NaN : (NUMBER_WORDS.get(word) ?? Number(word.replaceAll(',', '')));
  if (Number.isNaN(number)) throw new Error(`${page} does not say ${String(pattern)}`);
  return number;
}

/** Returns the value of a constant in the code: a number, or a product, quotient or shift of numbers. */
export function constantIn(file: string, name: string): number {
  const text = new RegExp(`(?:const |^ +|[{ ])${name}(?:: |\\s=\\s)([\\d_.e*/< ]+)[,;} \\n]`, 'm').exec(
    readSource(file),
  )?.[1];
  const [firstNumber = NaN, ...otherNumbers] = (text ?? '')
    .split(/ (?:\*|<<|\/) /)
    .map((part) => Number(part.replaceAll('_', '').trim()));
  const signs = [...(text ?? '').matchAll(/\*|<<|\//g)].map(([sign]) => sign);
  const value = otherNumbers.reduce(
    (product, number, n) =>
      signs[n] === '<<' ? product * 2 ** number : signs[n] === '/' ? product / number : product * number,
    firstNumber,
  );
  if (text === undefined || Number.isNaN(value)) throw new Error(`${file} has no number ${name}`);
  return value;
}
