// Checks that every language has the same texts, and that no component contains text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SETTING_NAMES } from '../../../server/config/settings.ts';

const renderer = join(import.meta.dirname, '..', '..', '..', 'renderer');
type Texts = { [key: string]: string | Texts };

const languages = join(renderer, '..', 'resources', 'languages');
const readTexts = (language: string): Map<string, string> =>
  new Map(flatten(JSON.parse(readFileSync(join(languages, `${language}.json`), 'utf8')) as Texts));

function flatten(texts: Texts, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  );
}

const placeholders = (text: string | undefined): string =>
  [...(text ?? '').matchAll(/\{\{[^}]+\}\}/g)]
    .map(([key]) => key)
    .sort()
    .join(' ');

const english = readTexts('en');
const otherLanguages = readdirSync(languages)
  .filter((file) => file.endsWith('.json') && file !== 'en.json')
  .map((file) => file.slice(0, -'.json'.length));

describe.each(otherLanguages)('the texts in %s', (language) => {
  const texts = readTexts(language);

  it('are complete, without others', () => {
    expect({
      missing: [...english.keys()].filter((key) => !texts.has(key)),
      unknown: [...texts.keys()].filter((key) => !english.has(key)),
    }).toEqual({ missing: [], unknown: [] });
  });

  it('have the placeholders of the English ones, and are not empty', () => {
    const faultyTexts = [...texts].filter(
      ([key, text]) => text.trim() === '' || placeholders(text) !== placeholders(english.get(key)),
    );
    expect(faultyTexts).toEqual([]);
  });
});

it.each(['en', ...otherLanguages])('no two settings have the same name in %s', (language) => {
  const names = [...readTexts(language)].filter(([key]) => /^setting\..*\.label$/.test(key)).map(([, name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('every setting has a name and a description', () => {
  const unnamedSettings = SETTING_NAMES.map((name) => name.toLowerCase()).filter(
    (key) => !english.has(`setting.${key}.label`) || !english.has(`setting.${key}.help`),
  );
  expect(unnamedSettings).toEqual([]);
});

it('every task of the server has a name', () => {
  const server = join(renderer, '..', 'server');
  const tasks = readdirSync(server, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(server, file), 'utf8').matchAll(/= task\('(\w+)'/g)])
    .map(([, name]) => name);
  expect(tasks).toContain('scan_local_folder');
  expect(tasks.filter((name) => !english.has(`task.${name}`))).toEqual([]);
});

/** Patterns that approximately match words between tags or in attributes for screen readers, not code. */
const TEXT_PATTERNS = [
  />\s*([A-Z][a-z]+(?:[ ’'][\w’',.]+)*[.!?]?)\s*<\//g,
  /\s(?:aria-label|aria-description|title|placeholder|alt|label)="([^"]*[A-Za-z]{2}[^"]*)"/g,
];

it('no component contains text', () => {
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const textsInComponents = files.flatMap((file) => {
    const source = readFileSync(join(renderer, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
    return TEXT_PATTERNS.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => `${file}: ${match[1]}`));
  });
  expect(textsInComponents).toEqual([]);
  expect(files.length).toBeGreaterThan(50);
});

describe('the displayed language', async () => {
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('addEventListener', vi.fn());
  const { nameOfLanguage, resolveLanguage } = await import('../../../renderer/i18n/language.ts');

  it.each<[string, string[], { language: string; locale: string }]>([
    ['system', ['en-GB', 'de'], { language: 'en', locale: 'en-GB' }],
    ['system', ['xx-YY', 'de-AT', 'en'], { language: 'de', locale: 'de-AT' }],
    ['system', ['xx'], { language: 'en', locale: 'en' }],
    ['system', ['en-US@posix', 'en'], { language: 'en', locale: 'en-US' }],
    ['system', ['not a tag', 'de'], { language: 'de', locale: 'de' }],
    ['system', [], { language: 'en', locale: 'en' }],
    ['de', ['en-GB', 'en', 'de-CH'], { language: 'de', locale: 'de-CH' }],
    ['de', ['en-GB'], { language: 'de', locale: 'de' }],
  ])('for %s and a browser with %j', (choice, browserLanguages, expected) => {
    expect(resolveLanguage(choice, browserLanguages)).toEqual(expected);
  });

  it.each([
    ['de', 'Deutsch'],
    ['en', 'English'],
    ['fr', 'Français'],
  ])('has its own name: %s, %s', (language, name) => expect(nameOfLanguage(language)).toBe(name));
});

it('styles use start and end instead of left and right, so that a page can be mirrored', () => {
  const SIDE_PATTERN =
    /\b(?:margin|padding|border)-(?:left|right)\b|text-align:\s*(?:left|right)|^\s*(?:left|right):(?!\s*50%)/gm;
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  const sidesInStyles = files
    // the slider is excluded: time runs from left to right in every language
    .filter((file) => !file.endsWith('slider.module.css'))
    .flatMap((file) =>
      [...readFileSync(join(renderer, file), 'utf8').matchAll(SIDE_PATTERN)].map(([side]) => `${file}: ${side}`),
    );
  expect(sidesInStyles).toEqual([]);
  expect(files.length).toBeGreaterThan(40);
});
