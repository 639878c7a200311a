import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../server/errors.ts';
import { parseBody, parseQuery, type QueryText } from '../../../server/http/accepts.ts';
import { pageQuery, queryInt } from '../../../server/http/paging.ts';

const ThingSchema = z.strictObject({
  name: z.string().min(1),
  count: z.int().optional(),
  isOpen: z.boolean().optional(),
  parts: z.array(z.strictObject({ size: z.number() })).optional(),
});
const parseThing = (value: unknown, options: object = {}): unknown =>
  parseBody(ThingSchema, value, { method: 'post', ...options });
const listFaults = (parse: () => unknown): string[] => {
  try {
    parse();
  } catch (error) {
    if (error instanceof AppError) return (error.fields ?? []).map(({ field }) => field);
    throw error;
  }
  return [];
};

describe('a body', () => {
  test('is what the schema says, without fields that it does not know, at any depth', () => {
    const value = JSON.parse('{"name":"a","is_superuser":true,"__proto__":{"count":3},"parts":[{"size":1,"x":2}]}');
    expect(parseThing(value)).toEqual({ name: 'a', parts: [{ size: 1 }] });
    expect(({} as { count?: number }).count).toBeUndefined();
    expect(value).toHaveProperty('is_superuser'); // parsing does not change the request
  });
  test('with only unknown fields is refused, and a strict body with any unknown field', () => {
    expect(listFaults(() => parseThing({ is_superuser: true }))).toEqual(['is_superuser', 'name']);
    expect(listFaults(() => parseThing({ name: 'a', is_superuser: true }, { strict: true }))).toEqual(['is_superuser']);
  });
  test('may have numbers and booleans in strings, where the schema allows no text', () => {
    expect(parseThing({ name: '7', count: ' 7 ', isOpen: 'TRUE', parts: [{ size: '1.5' }] })).toEqual({
      name: '7',
      count: 7,
      isOpen: true,
      parts: [{ size: 1.5 }],
    });
    for (const count of ['', 'seven', '7e3', '0x7', 'Infinity', '99999999999999999'])
      expect([count, listFaults(() => parseThing({ name: 'a', count }))]).toEqual([count, ['count']]);
    expect(listFaults(() => parseThing({ name: 'a', isOpen: '1' }))).toEqual(['isOpen']);
  });
  test('may use null for an absent field when something is created, not when it is edited', () => {
    expect(parseThing({ name: 'a', count: null })).toEqual({ name: 'a' });
    expect(listFaults(() => parseThing({ name: null }))).toEqual(['name']);
    expect(listFaults(() => parseThing({ name: 'a', count: null }, { method: 'patch' }))).toEqual(['count']);
  });
  test('accepts alternative names, which have lower priority and appear in its errors', () => {
    const accepts = { body: { title: 'name' } };
    expect(parseThing({ title: 'b' }, { accepts })).toEqual({ name: 'b' });
    expect(parseThing({ title: 'b', name: 'a' }, { accepts })).toEqual({ name: 'a' });
    expect(listFaults(() => parseThing({ title: '' }, { accepts }))).toEqual(['title']);
  });
  test('that is a list, a text or empty is refused', () => {
    for (const value of [[], [{ name: 'a' }], 'name', 7, null, undefined])
      expect(listFaults(() => parseThing(value))).toEqual(['body']);
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
const parseListQuery = (text: QueryText): object => parseQuery(List, text) as object;
const DEFAULT_QUERY = { sort: 'title', limit: 50, offset: 0 };

describe('a query', () => {
  test.each<[QueryText, object]>([
    [{ search: 'x' }, { q: 'x' }],
    [{ search: 'x', q: 'y' }, { q: 'y' }],
    [{ sort: '-year' }, { sort: 'year', order: 'desc' }],
    [{ sort: '+year' }, { sort: 'year', order: 'asc' }],
    [{ sort: ' year' }, { sort: 'year', order: 'asc' }], // a `+` in an address is a space
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
  ])('%j', (text, expected) => {
    expect(parseListQuery(text)).toEqual({ ...DEFAULT_QUERY, ...expected });
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
  ])('%j is refused for %s', (text, field) => {
    expect(listFaults(() => parseListQuery(text))).toEqual([field]);
  });
});
