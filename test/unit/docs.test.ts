// Checks that everything the documentation names exists: files, headings, npm scripts, commands and their options,
// settings, addresses, proofs, tests, and files and folders of the code.
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../server/cli/command-line.ts';
import { helpText } from '../../server/cli/help.ts';
import { parseSetting } from '../../server/config/config.ts';
import { SETTINGS } from '../../server/config/settings.ts';
import { codeIn, commandsIn, MANUALS, PAGES, readSource, rowsOf, sectionOf, sentencesOf } from '../support/manual.ts';
import { root } from '../support/product.ts';

const { scripts } = JSON.parse(readSource('package.json')) as { scripts: Record<string, string> };
const CONTRIBUTING_PAGE = 'CONTRIBUTING.md';
const DEVELOPMENT_PAGE = join('docs', 'DEVELOPMENT.md');
const STORAGE_PAGE = join('docs', 'STORAGE.md');

/** Returns the anchors that GitHub gives to the headings of a page. */
const listAnchors = (page: string): string[] =>
  [...readSource(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns the broken targets among the first groups of the pattern, each with its page. */
const findBroken = (pattern: RegExp, isBroken: (target: string, page: string) => boolean, pages = PAGES): string[] =>
  pages.flatMap((page) =>
    [...readSource(page).matchAll(pattern)]
      .map(([, target = '']) => target)
      .filter((target) => isBroken(target, page))
      .map((target) => `${page}: ${target}`),
  );

it('links lead to existing files and headings', () => {
  const isBroken = (target: string, page: string): boolean => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : relative(root, join(root, dirname(page), path));
    return !existsSync(join(root, file)) || (anchor !== undefined && !listAnchors(file).includes(anchor));
  };
  expect(findBroken(/\]\((?!https?:)([^)]+)\)/g, isBroken)).toEqual([]);
});

it('npm scripts exist', () => {
  expect(findBroken(/npm run ([\w:-]+)/g, (script) => scripts[script] === undefined)).toEqual([]);
});

describe('files and folders of the code', () => {
  const CODE_FOLDERS = 'server|renderer|main|scripts|test|migrations|resources|docs';
  const sources = globSync(`{${CODE_FOLDERS.replaceAll('|', ',')}}/**/*.{ts,tsx,js,css,html}`, { cwd: root });

  it('exist', () => {
    expect(
      findBroken(new RegExp(`\`((?:${CODE_FOLDERS})/[\\w./-]*)\``, 'g'), (path) => !existsSync(join(root, path))),
    ).toEqual([]);
  });

  it('exist, also when only the end of their path is given', () => {
    const endings = new Set(sources.flatMap((path) => path.split('/').map((_, n, parts) => parts.slice(n).join('/'))));
    expect(sources.length).toBeGreaterThan(1_000);
    expect(
      findBroken(
        /`([\w.-]+(?:\/[\w.-]+)*\.(?:tsx?|css|html))`/g,
        (name) => !endings.has(name) && !existsSync(join(root, name)),
      ),
    ).toEqual([]);
  });
});

it('commands are valid', () => {
  const lines = PAGES.flatMap((page) => commandsIn(readSource(page), '(?:.*npm start --|(?:npx )?tonearm)'));
  expect(lines.length).toBeGreaterThan(12);
  for (const line of lines) expect(() => parseCommandLine(line.split(' ')), line).not.toThrow();
});

it('commands in sentences are in the help', () => {
  const help = helpText();
  const isBroken = (command: string): boolean => !new RegExp(`^  ${command}\\b`, 'm').test(help);
  expect(findBroken(/`(?:npx )?tonearm ([a-z]+)/g, isBroken)).toEqual([]);
});

it('options of commands are in the help', () => {
  const options = new Set(helpText().match(/--[a-z-]+/g));
  const commandOptions = MANUALS.flatMap((page) => [
    ...codeIn(readSource(page)).filter((code) => !/^(npm|npx vitest) /.test(code)),
    ...commandsIn(readSource(page), '(?:.*npm start --|(?:npx )?tonearm)'),
  ]).flatMap((code) => code.match(/(?<=^| )--[a-z][a-z-]+/g) ?? []);
  expect(commandOptions.length).toBeGreaterThan(20);
  expect(commandOptions.filter((option) => !options.has(option))).toEqual([]);
});

it('settings and variables of the environment exist', () => {
  const code = globSync('{server,scripts,test/support,test/integration}/**/*.ts', { cwd: root })
    .map(readSource)
    .join('');
  const isBroken = (name: string): boolean => !(name in SETTINGS || new RegExp(`(['.]|const )${name}\\b`).test(code));
  const OTHER_PREFIXES = '(?!ELECTRON_|NODE_)';
  const names = new RegExp(`\`${OTHER_PREFIXES}([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])(?:=[^\`]*)?\``, 'g');
  expect(findBroken(names, isBroken, [...MANUALS, CONTRIBUTING_PAGE, DEVELOPMENT_PAGE])).toEqual([]);
});

it('addresses have the port that is the default', () => {
  const isBroken = (port: string): boolean => Number(port) !== parseSetting('PORT', undefined);
  expect(findBroken(/(?:127\.0\.0\.1|\.local):(\d+)/g, isBroken, ['README.md', join('docs', 'INSTALL.md')])).toEqual(
    [],
  );
});

it('pages of the settings exist', () => {
  const texts = readSource('resources/languages/en.json');
  const isBroken = (label: string): boolean => !texts.includes(`: "${label.replaceAll(/\s+/g, ' ')}"`);
  expect(findBroken(/Settings →\s+([A-Z]\w+(?:\s&\s\w+)?)/g, isBroken)).toEqual([]);
});

it('the list of proofs is complete', () => {
  const [, cell = ''] = rowsOf(sectionOf(DEVELOPMENT_PAGE, 'Commands')).find(([name]) => name?.includes('prove')) ?? [];
  const proofs = [...readSource('test/prove/main.ts').matchAll(/^ {2}'?([\w-]+)'?: async/gm)].map(
    ([, name = '']) => name,
  );
  expect(proofs.length).toBeGreaterThan(10);
  expect(codeIn(cell.split(': ')[1] ?? '')).toEqual(proofs.toSorted());
  expect(findBroken(/`npm run prove -- ([\w-]+)/g, (name) => name !== 'NAME' && !proofs.includes(name))).toEqual([]);
});

it('docs/DEVELOPMENT.md says how to sign in to the development library, and what the editor can start', () => {
  const page = sentencesOf(DEVELOPMENT_PAGE);
  const stage = readSource('test/e2e/stage.ts');
  const [, username = '', password = ''] = /sign in as `(\w+)` with `([^`]+)`/.exec(page) ?? [];
  expect(stage).toContain(`OWNER_ACCOUNT = { username: '${username}', password: '${password}' }`);
  const [, names = ''] = /VS Code: (.+?) are under Run and Debug/.exec(page) ?? [];
  const starts = [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  const launch = readSource('.vscode/launch.json').match(/"name": "/g) ?? [];
  expect(starts).toHaveLength(launch.length);
  for (const name of starts) expect(readSource('.vscode/launch.json')).toContain(`"name": "${name}`);
});

it('the benchmarks exist', () => {
  const suites = readSource('test/bench/main.ts');
  expect(findBroken(/npm run bench -- ([a-z][\w-]*)/g, (name) => !new RegExp(`\\b'?${name}\\b`).test(suites))).toEqual(
    [],
  );
});

describe('tests by their file or title', () => {
  const files = globSync('test/**/*.{test,e2e}.ts', { cwd: root });
  const titles = globSync('test/**/*.ts', { cwd: root }).map(readSource).join('');
  const isTitle = (text: string): boolean => titles.includes(text);
  const proofs = readSource('test/prove/main.ts');
  /** Returns the names of test files in a cell. */
  const listTestNames = (cell: string) => codeIn(cell).filter((name) => /^[\w-]+(\.test\.ts)?$/.test(name));

  it.each(rowsOf(sectionOf(DEVELOPMENT_PAGE, 'What happens to files, and where it is tested')))(
    '%s',
    (_title, cell) => {
      for (const name of listTestNames(cell ?? ''))
        expect(files.some((file) => basename(file) === `${name}.test.ts`) || proofs.includes(name), name).toBe(true);
      for (const [, title = ''] of (cell ?? '').matchAll(/"([^"]+)"/g)) expect(isTitle(title), title).toBe(true);
      expect(listTestNames(cell ?? '').length).toBeGreaterThan(0);
    },
  );

  it.each(rowsOf(sectionOf(STORAGE_PAGE, 'Testing against a real store')))('%s', (_title, cell) => {
    for (const phrase of (cell ?? '').split(/; |: /)) {
      const [name] = listTestNames(phrase);
      if (name === undefined) expect(isTitle(phrase), phrase).toBe(true);
      else expect(files.map((file) => basename(file))).toContain(name);
    }
  });
});

it('every word of the glossary is one that the code uses', () => {
  const code = globSync('{server,renderer,main}/**/*.{ts,tsx}', { cwd: root })
    .map(readSource)
    .join('\n')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
  const terms = rowsOf(readSource(join('docs', 'GLOSSARY.md'))).flatMap(([term = '']) => term.split(', '));
  expect(terms.length).toBeGreaterThan(100);
  expect(terms.filter((term) => !code.includes(term.toLowerCase().replaceAll(/[^a-z0-9]/g, '')))).toEqual([]);
});
