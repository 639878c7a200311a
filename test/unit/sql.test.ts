// Which SQL is written how (docs/decisions/0073): the builder for everything ordinary, prepared text where one of these
// reasons holds; the rows of both have their shape from schema.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const server = join(import.meta.dirname, '..', '..', 'server');

/** The folders that may contain SQL text, each with its reason. */
const REASONS_BY_FOLDER: Record<string, string> = {
  analysis: 'runs for each track',
  auth: 'runs with every request',
  backup: 'whole tables page by page over connections of their own',
  cli: 'reads a database that no server has opened',
  about: 'runs for each artist of a look-up; whole tables page by page',
  covers: 'runs for each cover of a grid; whole tables page by page',
  db: 'opens and migrates the database',
  downloads: 'runs for each saved hit; UPDATE OR IGNORE',
  enrichment: 'JSON lists of ids, thousands of rows in a statement, grouped lists',
  files: 'runs for each file',
  history: 'INSERT OR IGNORE that answers, JSON lists of ids, comparisons of row values',
  jobs: 'runs for each job; takes the next one in one statement',
  library: 'runs for each file of a scan and each row of a page; full text, JSON lists of ids, INDEXED BY',
  likeness: 'JSON lists of ids, whole tables in a thread',
  likes: 'runs for each of the songs that a phone stars at once',
  lyrics: 'runs for each track of a look-up',
  maintenance: 'whole tables page by page',
  'music-folders': 'runs for each track and folder of a music folder; conditions put together from pieces',
  playlists: 'runs for each entry of long lists; rules put together from pieces',
  relocation: 'conditions and orders put together from pieces',
  scan: 'runs for each file',
  scrobbling: 'INSERT OR IGNORE from a SELECT, JSON lists of ids, runs for each play',
  search: 'runs for each hit of a page',
  stats: 'aggregates with windows and JSON over whole tables',
  streaming: 'runs for each request of a player',
  uploads: 'runs for each file',
  zips: 'JSON lists of ids in their order',
};

const files = globSync('**/*.ts', { cwd: server }).map((file) => {
  const path = file.replaceAll('\\', '/');
  return { path, folder: path.split('/')[0] as string, text: readFileSync(join(server, file), 'utf8') };
});
const withText = files.filter(({ text }) => /\.prepare\b/.test(text));

test('SQL text is only in folders with a reason for it', () => {
  expect(withText.filter(({ folder }) => REASONS_BY_FOLDER[folder] === undefined).map(({ path }) => path)).toEqual([]);
  const usedFolders = new Set(withText.map(({ folder }) => folder));
  expect(Object.keys(REASONS_BY_FOLDER).filter((folder) => !usedFolders.has(folder))).toEqual([]);
});

test('no statement is prepared by routes or by shapes of the API', () => {
  expect(withText.filter(({ path }) => /(?:^|\/)(?:routes|wire|wire-maps|module)\.ts$/.test(path))).toEqual([]);
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
