// Every language has the same texts, and no component contains text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SETTING_NAMES } from '../../../server/config/settings.ts';

const renderer = join(import.meta.dirname, '..', '..', '..', 'renderer');
type Texts = { [key: string]: string | Texts };

const languages = join(renderer, '..', 'resources', 'languages');
const readTexts = (language: string): Map<string, string> =>
  new Map(flatten(JSON.parse(readFileSync(join(languages, `${language}.json`), 'utf8')) as Texts));

function flatten(texts: Texts, before = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[before + key, value]] : flatten(value, `${before}${key}.`),
  );
}

const placeholders = (text: string | undefined): string =>
  [...(text ?? '').matchAll(/\{\{[^}]+\}\}/g)]
    .map(([found]) => found)
    .sort()
    .join(' ');

const english = readTexts('en');
const others = readdirSync(languages)
  .filter((file) => file.endsWith('.json') && file !== 'en.json')
  .map((file) => file.slice(0, -'.json'.length));

describe.each(others)('the texts in %s', (language) => {
  const texts = readTexts(language);

  it('are complete, without others', () => {
    expect({
      missing: [...english.keys()].filter((key) => !texts.has(key)),
      unknown: [...texts.keys()].filter((key) => !english.has(key)),
    }).toEqual({ missing: [], unknown: [] });
  });

  it('have the placeholders of the English ones, and are not empty', () => {
    const odd = [...texts].filter(
      ([key, text]) => text.trim() === '' || placeholders(text) !== placeholders(english.get(key)),
    );
    expect(odd).toEqual([]);
  });
});

it.each(['en', ...others])('no two settings have the same name in %s', (language) => {
  const names = [...readTexts(language)].filter(([key]) => /^setting\..*\.label$/.test(key)).map(([, name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('every setting has a name and a description', () => {
  const bare = SETTING_NAMES.map((name) => name.toLowerCase()).filter(
    (key) => !english.has(`setting.${key}.label`) || !english.has(`setting.${key}.help`),
  );
  expect(bare).toEqual([]);
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

/** Words between tags, or in an attribute for screen readers. Approximate: neither code nor punctuation. */
const WORDS = [
  />\s*([A-Z][a-z]+(?:[ ’'][\w’',.]+)*[.!?]?)\s*<\//g,
  /\s(?:aria-label|aria-description|title|placeholder|alt|label)="([^"]*[A-Za-z]{2}[^"]*)"/g,
];

it('no component contains text', () => {
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  const found = files.flatMap((file) => {
    const source = readFileSync(join(renderer, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
    return WORDS.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => `${file}: ${match[1]}`));
  });
  expect(found).toEqual([]);
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
  ])('for %s and a browser with %j', (choice, wanted, shown) => {
    expect(resolveLanguage(choice, wanted)).toEqual(shown);
  });

  it.each([
    ['de', 'Deutsch'],
    ['en', 'English'],
    ['fr', 'Français'],
  ])('has its own name: %s, %s', (language, name) => expect(nameOfLanguage(language)).toBe(name));
});

it('styles use start and end instead of left and right, so that a page can be mirrored', () => {
  const SIDES =
    /\b(?:margin|padding|border)-(?:left|right)\b|text-align:\s*(?:left|right)|^\s*(?:left|right):(?!\s*50%)/gm;
  const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  const found = files
    .filter((file) => !file.endsWith('slider.module.css')) // time runs from left to right in every language
    .flatMap((file) =>
      [...readFileSync(join(renderer, file), 'utf8').matchAll(SIDES)].map(([side]) => `${file}: ${side}`),
    );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(40);
});
