// Everything that the documentation names exists: linked files and headings, npm scripts, commands, settings, and
// files and folders of the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { parseCommandLine } from '../../server/cli/command-line.ts';
import { SETTINGS } from '../../server/config/settings.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Headings as GitHub links to them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const broken = (pattern: RegExp, isBroken: (target: string, page: string) => boolean, among = pages): string[] =>
  among.flatMap((page) =>
    [...read(page).matchAll(pattern)]
      .map(([, target = '']) => target)
      .filter((target) => isBroken(target, page))
      .map((target) => `${page}: ${target}`),
  );

it('links lead to existing files and headings', () => {
  const isBroken = (target: string, page: string): boolean => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : relative(root, join(root, dirname(page), path));
    return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  };
  expect(broken(/\]\((?!https?:)([^)\s]+)\)/g, isBroken)).toEqual([]);
});

it('npm scripts exist', () => {
  expect(broken(/npm run ([\w:-]+)/g, (script) => scripts[script] === undefined)).toEqual([]);
});

// decisions are not changed later: a file that they name may have been renamed
it('files and folders of the code exist', () => {
  const current = pages.filter((page) => !page.startsWith(join('docs', 'decisions')));
  const paths = /`((?:server|renderer|main|scripts|test|migrations|resources|docs)\/[\w./-]*)`/g;
  expect(broken(paths, (path) => !existsSync(join(root, path)), current)).toEqual([]);
});

it('commands are valid', () => {
  const isBroken = (line: string): boolean => {
    try {
      parseCommandLine(line.split(' '));
      return false;
    } catch {
      return true;
    }
  };
  expect(broken(/^ {4}(?:.*npm start --|(?:npx )?tonearm) (.+?)(?: {2,}.*)?$/gm, isBroken)).toEqual([]);
});

it('settings exist', () => {
  const manuals = ['INSTALL', 'BACKUP', 'STORAGE'].map((name) => join('docs', `${name}.md`));
  expect(
    broken(
      /`([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])(?:=[^`]*)?`/g,
      (name) => !(name in SETTINGS || name.startsWith('S3_TEST_')),
      manuals,
    ),
  ).toEqual([]);
});
