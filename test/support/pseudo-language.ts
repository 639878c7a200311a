// A pseudo-language made from English, which shows what a translation would break: its letters have accents, so that
// English texts in the code are visible, its texts are half as long again, and it is written from right to left.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const LONGEST_WORD = 6;

/** The language tag: Arabic, with a region that does not exist. */
export const PSEUDO = 'ar-XB';

const PLAIN_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀćđéƒǵħíĵķĺɱñóƥɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĦÍĴĶĹṀÑÓƤɊŔŚŤÚṼŴẊÝŹ';
const accented = new Map([...PLAIN_LETTERS].map((letter, i) => [letter, [...ACCENTED][i] ?? letter]));

/** Matches placeholders and markup, which stay unchanged. */
const UNCHANGED_PARTS = /(\{\{[^}]*\}\}|<\/?\w+\/?>|\$t\([^)]*\))/;

export function pseudoText(text: string): string {
  const pieces = text.split(UNCHANGED_PARTS).map((piece, i) => (i % 2 === 1 ? piece : accent(piece)));
  const length = text
    .split(UNCHANGED_PARTS)
    .filter((_, i) => i % 2 === 0)
    .join('').length;
  return pieces.join('') + longer(Math.ceil(length / 2));
}

/** Makes padding: a few letters extend the last word, more letters form words. */
function longer(letters: number): string {
  if (letters <= LONGEST_WORD) return 'ő'.repeat(letters);
  return letters <= 0 ? '' : ` ${'ő'.repeat(LONGEST_WORD - 1)}${longer(letters - LONGEST_WORD)}`;
}

const accent = (text: string): string => [...text].map((letter) => accented.get(letter) ?? letter).join('');

type Texts = { [key: string]: string | Texts };

/** Plural forms of Arabic, which has more than English; here they are all the same. */
const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'];

function pseudoTexts(texts: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, value]): [string, string | Texts][] => {
      if (typeof value !== 'string') return [[key, pseudoTexts(value)]];
      const [, countedKey] = /^(.*)_other$/.exec(key) ?? [];
      const text = pseudoText(value);
      return countedKey === undefined ? [[key, text]] : FORMS.map((form) => [`${countedKey}_${form}`, text]);
    }),
  );
}

/** Returns the text of the language's file. */
const pseudoLanguage = (): string =>
  JSON.stringify(pseudoTexts(JSON.parse(readFileSync(join(root, 'resources/languages/en.json'), 'utf8')) as Texts));

/** Makes a copy of the built program that includes the language. */
export function buildPseudoProgram(): string {
  const program = mkdtempSync(join(tmpdir(), 'tonearm-pseudo-'));
  const notCopied = new Set(['.git', 'docs', 'node_modules', 'test', join('dist', 'renderer')]);
  cpSync(root, program, { recursive: true, filter: (path) => !notCopied.has(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(program, 'node_modules'));
  writeFileSync(join(program, 'resources', 'languages', `${PSEUDO}.json`), pseudoLanguage());
  execFileSync(join(root, 'node_modules', '.bin', 'vite'), ['build', '--logLevel', 'error'], { cwd: program });
  return program;
}
