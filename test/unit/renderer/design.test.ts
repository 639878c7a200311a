// Checks that styles follow the design (docs/design.md): sizes, weights, rows, one meaning per icon.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROW_HEIGHTS } from '../../../renderer/ui/lists/row-heights.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const readText = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = readdirSync(join(root, 'renderer'), { recursive: true, encoding: 'utf8' }).map((path) =>
  join('renderer', path),
);
const TOKENS_FILE = 'renderer/ui/theme/tokens.css';
const ICONS_FILE = 'renderer/ui/theme/icons.ts';
const tokens = readText(TOKENS_FILE);
const styles = files.filter((path) => path.endsWith('.css') && path !== TOKENS_FILE);

/** Returns the declarations that are not allowed, with their files. */
const faults = (property: RegExp, isAllowed: (value: string, path: string) => boolean): string[] =>
  styles.flatMap((path) =>
    [...readText(path).matchAll(new RegExp(`[{;]\\s*${property.source}:\\s*([^;]+);`, 'g'))]
      .map(([, value = '']) => value.trim())
      .filter((value) => !isAllowed(value, path))
      .map((value) => `${path}: ${value}`),
  );

it('there are five sizes of text and two weights', () => {
  const sizes = new Set([...tokens.matchAll(/--text-(\d+):/g)].map(([, size]) => Number(size)));
  expect([...sizes]).toEqual([12, 14, 16, 20, 32]);
  const weights = new Set([...tokens.matchAll(/--text-\d+: (\d+) /g)].map(([, weight]) => Number(weight)));
  expect([...weights]).toEqual([400, 600]);
});

it('text has one of the sizes', () => {
  expect(faults(/font/, (value) => /^var\(--text-(12|14|16|20|32|mono)\)$|^inherit$/.test(value))).toEqual([]);
  // the initials of an artist fill the place of the picture, in any size
  expect(faults(/font-size/, (_, path) => path === 'renderer/ui/cover.module.css')).toEqual([]);
});

it('text has one of the weights', () => {
  expect(faults(/font-weight/, (value) => value === '400' || value === '600')).toEqual([]);
});

it('rows are as high as the code that places them assumes', () => {
  expect([...tokens.matchAll(/--row: (\d+)px/g)].map(([, height]) => Number(height))).toEqual(
    Object.values(ROW_HEIGHTS),
  );
});

it('an icon has one meaning', () => {
  const body = /^export \{\n([^}]+)\} from/m.exec(readText(ICONS_FILE))?.[1] ?? '';
  const icons = [...body.matchAll(/^ {2}(Icon\w+)( as (Icon\w+))?,$/gm)];
  expect(icons.length).toBeGreaterThan(80);
  for (const names of [icons.map(([, drawing]) => drawing), icons.map(([, drawn, , meaning]) => meaning ?? drawn)])
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

it('an icon that is named is used', () => {
  const code = files.filter((path) => /\.tsx?$/.test(path) && path !== ICONS_FILE).map(readText);
  const iconNames = [...readText(ICONS_FILE).matchAll(/(Icon\w+),$/gm)].map(([, name]) => name);
  expect(iconNames.filter((name) => !code.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
});
