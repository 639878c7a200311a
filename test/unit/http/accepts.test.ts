import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../server/errors.ts';
import { parseBody, parseQuery, type QueryText } from '../../../server/http/accepts.ts';
import { pageQuery, queryInt } from '../../../server/http/paging.ts';

const Thing = z.strictObject({
  name: z.string().min(1),
  count: z.int().optional(),
  isOpen: z.boolean().optional(),
  parts: z.array(z.strictObject({ size: z.number() })).optional(),
});
const body = (given: unknown, more: object = {}): unknown => parseBody(Thing, given, { method: 'post', ...more });
const faults = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return (error.fields ?? []).map(({ field }) => field);
    throw error;
  }
  return [];
};

describe('a body', () => {
  test('is what the schema says, without fields that it does not know, at any depth', () => {
    const own = JSON.parse('{"name":"a","is_superuser":true,"__proto__":{"count":3},"parts":[{"size":1,"x":2}]}');
    expect(body(own)).toEqual({ name: 'a', parts: [{ size: 1 }] });
    expect(({} as { count?: number }).count).toBeUndefined();
    expect(own).toHaveProperty('is_superuser'); // the request is not changed
  });
  test('of unknown fields alone is refused, and a strict one that has any', () => {
    expect(faults(() => body({ is_superuser: true }))).toEqual(['is_superuser', 'name']);
    expect(faults(() => body({ name: 'a', is_superuser: true }, { strict: true }))).toEqual(['is_superuser']);
  });
  test('may have numbers and booleans in strings, where no text can be meant', () => {
    expect(body({ name: '7', count: ' 7 ', isOpen: 'TRUE', parts: [{ size: '1.5' }] })).toEqual({
      name: '7',
      count: 7,
      isOpen: true,
      parts: [{ size: 1.5 }],
    });
    for (const count of ['', 'seven', '7e3', '0x7', 'Infinity', '99999999999999999'])
      expect([count, faults(() => body({ name: 'a', count }))]).toEqual([count, ['count']]);
    expect(faults(() => body({ name: 'a', isOpen: '1' }))).toEqual(['isOpen']);
  });
  test('may say null for absent where something is made, and not where it is edited', () => {
    expect(body({ name: 'a', count: null })).toEqual({ name: 'a' });
    expect(faults(() => body({ name: null }))).toEqual(['name']);
    expect(faults(() => body({ name: 'a', count: null }, { method: 'patch' }))).toEqual(['count']);
  });
  test('takes other names, which count less, and are those of its errors', () => {
    const accepts = { body: { title: 'name' } };
    expect(body({ title: 'b' }, { accepts })).toEqual({ name: 'b' });
    expect(body({ title: 'b', name: 'a' }, { accepts })).toEqual({ name: 'a' });
    expect(faults(() => body({ title: '' }, { accepts }))).toEqual(['title']);
  });
  test('that is a list, a text or nothing is refused', () => {
    for (const given of [[], [{ name: 'a' }], 'name', 7, null, undefined])
      expect(faults(() => body(given))).toEqual(['body']);
  });
});

const List = z.object({
  q: z.string().optional(),
  year_from: queryInt.optional(),
  year_to: queryInt.optional(),
  sort: z.enum(['title', 'year', 'created_at']).default('title'),
  order: z.enum(['asc', 'desc']).optional(),
  ...pageQuery,
});
const query = (given: QueryText): object => parseQuery(List, given) as object;
const PLAIN = { sort: 'title', limit: 50, offset: 0 };

describe('a query', () => {
  test.each<[QueryText, object]>([
    [{ search: 'x' }, { q: 'x' }],
    [{ search: 'x', q: 'y' }, { q: 'y' }],
    [{ sort: '-year' }, { sort: 'year', order: 'desc' }],
    [{ sort: '+year' }, { sort: 'year', order: 'asc' }],
    [{ sort: ' year' }, { sort: 'year', order: 'asc' }], // `+` in an address
    [
      { sort_by: 'year', direction: 'DESC' },
      { sort: 'year', order: 'desc' },
    ],
    [{ sort: 'year,desc' }, { sort: 'year', order: 'desc' }],
    [{ sort: 'newest' }, { sort: 'created_at', order: 'desc' }],
    [
      { page: '3', per_page: '10' },
      { limit: 10, offset: 20 },
    ],
    [{ year: '1999' }, { year_from: 1999, year_to: 1999 }],
    [{ colour: 'red' }, {}],
  ])('%j', (given, means) => {
    expect(query(given)).toEqual({ ...PLAIN, ...means });
  });
  test.each<[QueryText, string]>([
    [{ sort: '__proto__' }, 'sort'],
    [{ sort: 'constructor:desc' }, 'sort'],
    [{ sort: '-year', order: 'asc' }, 'order'],
    [{ sort: 'newest', order: 'asc' }, 'order'],
    [{ page: '2', offset: '0' }, 'page'],
    [{ page: '-1' }, 'page'],
    [{ page: ['1', 'x'] }, 'page'],
    [{ page_size: '1000' }, 'page_size'],
    [{ year: 'soon' }, 'year'],
  ])('%j is refused for %s', (given, field) => {
    expect(faults(() => query(given))).toEqual([field]);
  });
});
