// Checks the shape of the rows of statements (docs/decisions/0073). The linter says where statements stand.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const server = join(import.meta.dirname, '..', '..', 'server');

const files = globSync('**/*.ts', { cwd: server }).map((file) => {
  const path = file.replaceAll('\\', '/');
  return { path, text: readFileSync(join(server, file), 'utf8') };
});
const withText = files.filter(({ text }) => /\.prepare\b/.test(text));

test('rows of a table have their shape from schema.ts: RowOf and RowAs of db/rows.ts', () => {
  const byHand = withText.flatMap(({ path, text }) => [
    ...[...text.matchAll(/interface (\w*Row) \{[^}]*\b[a-z]+_[a-z_]+\??:/g)].map((match) => `${path}: ${match[1]}`),
    ...[...text.matchAll(/\bprepare<[^;(]*?(?<!> & )\{ [^}]*\b[a-z]+_[a-z_]+\??:[^}]*\}/g)].map(
      (match) => `${path}: ${match[0]}`,
    ),
  ]);
  expect(byHand).toEqual([]);
});
