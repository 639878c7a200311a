// Checks which files contain SQL, and the shape of its rows (docs/decisions/0073). The linter keeps the query builder
// out of these files: .oxlintrc.json.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const server = join(import.meta.dirname, '..', '..', 'server');

const files = globSync('**/*.ts', { cwd: server }).map((file) => {
  const path = file.replaceAll('\\', '/');
  return { path, text: readFileSync(join(server, file), 'utf8') };
});
const withText = files.filter(({ text }) => /\.prepare\b/.test(text));

test('no statement is prepared in routes, services, tasks, modules and shapes of the API', () => {
  const WITHOUT_STATEMENTS = /(?:^|\/)(?:routes|service|tasks|module|wire|wire-maps)\.ts$/;
  expect(files.some(({ path }) => WITHOUT_STATEMENTS.test(path))).toBe(true);
  expect(withText.filter(({ path }) => WITHOUT_STATEMENTS.test(path)).map(({ path }) => path)).toEqual([]);
});

test('rows of a table have their shape from schema.ts: RowOf and RowAs of db/rows.ts', () => {
  const byHand = withText.flatMap(({ path, text }) => [
    ...[...text.matchAll(/interface (\w*Row) \{[^}]*\b[a-z]+_[a-z_]+\??:/g)].map((match) => `${path}: ${match[1]}`),
    ...[...text.matchAll(/\bprepare<[^;(]*?(?<!> & )\{ [^}]*\b[a-z]+_[a-z_]+\??:[^}]*\}/g)].map(
      (match) => `${path}: ${match[0]}`,
    ),
  ]);
  expect(byHand).toEqual([]);
});
