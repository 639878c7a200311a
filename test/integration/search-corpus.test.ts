// Checks that queries find what they mean when they are typed as people type: with typos, without punctuation, with a
// year, in quotes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isMeant, openCorpusSearch, readCorpusQueries } from '../support/search-corpus.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

/** The share of queries whose meant result has to be among the first three of its kind. */
const MIN_SHARE = 0.97;

let temp: TempDatabase;
let search: ReturnType<typeof openCorpusSearch>;
beforeAll(() => {
  temp = openTempDatabase();
  search = openCorpusSearch(temp.db);
});
afterAll(() => temp.close());

test('97 of 100 queries have the result that they mean among the first three', () => {
  const queries = readCorpusQueries();
  const misses = queries.filter((query) => !search(query.query, 3)[query.type].some((names) => isMeant(names, query)));
  for (const { kind, query, type, artist, album, title } of misses)
    process.stdout.write(`${kind}: “${query}” does not find the ${type} ${[artist, album, title].join(' – ')}\n`);
  expect(queries).toHaveLength(366);
  expect(1 - misses.length / queries.length).toBeGreaterThanOrEqual(MIN_SHARE);
});
