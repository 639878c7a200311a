import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withLateSchemas } from '../../../scripts/lazy-schemas.ts';
import { createSchemaBook } from '../../../server/http/json-schema.ts';
import { lazySchema } from '../../../server/http/lazy-schema.ts';

describe('lazySchema', () => {
  it('makes the schema once, when it is first used', () => {
    let made = 0;
    const Name = lazySchema(() => {
      made++;
      return z.string().trim().min(1);
    });
    const Person = z.object({ name: Name, other: Name.optional() });
    expect([Person.parse({ name: ' Ada ' }), Person.safeParse({ name: ' ' }).success, made]).toEqual([
      { name: 'Ada' },
      false,
      1,
    ]);
    expect(made).toBe(1);
  });

  it('is not made by being part of another one, nor by being there', () => {
    const never = lazySchema((): z.ZodType => {
      throw new Error('made');
    });
    expect(() => lazySchema(() => z.object({ list: z.array(never), maybe: z.nullable(never) }))).not.toThrow();
    expect(() => z.array(never)).not.toThrow();
  });

  it.each<[string, typeof lazySchema]>([
    ['late', lazySchema],
    ['at once', (make) => make()],
  ])('has the same documentation: %s', (_, as) => {
    const Id = as(() => z.int().positive().max(9).meta({ description: 'an id' }));
    const Text = as(() => z.string().transform(Number).pipe(Id));
    const Track = as(() => z.object({ id: Id, of: z.enum(['a', 'b']).optional() }).meta({ id: 'Track' }));
    const Album = as(() => Track.extend({ tracks: z.array(Track), best: Track.nullable() }).meta({ id: 'Album' }));
    const book = createSchemaBook();
    const query = book.schemaOf(z.object({ at: Text.default(1), id: Id.optional() }), 'output');
    expect({ query, page: book.schemaOf(z.object({ items: z.array(Album) }), 'output'), ...book }).toMatchObject({
      query: { properties: { at: { type: 'integer', description: 'an id', default: 1 }, id: { maximum: 9 } } },
      page: { properties: { items: { items: { $ref: '#/components/schemas/Album' } } } },
      components: {
        Track: { properties: { id: { description: 'an id' } }, required: ['id'] },
        Album: {
          properties: {
            tracks: { items: { $ref: '#/components/schemas/Track' } },
            best: { anyOf: [{ $ref: '#/components/schemas/Track' }, { type: 'null' }] },
          },
        },
      },
    });
  });
});

describe('the build', () => {
  it.each([
    ['const A = z.object({ a: z.int() });', 'const A = lazySchema(() => z.object({ a: z.int() }));'],
    [
      'const a = z.int(), B = a.max(9).meta({});',
      'const a = lazySchema(() => z.int()), B = lazySchema(() => a.max(9).meta({}));',
    ],
    ["import { T } from 't'; const A = T.omit({});", "import { T } from 't'; const A = lazySchema(() => T.omit({}));"],
    ["export const e = event('e', z.int());", "export const e = event('e', lazySchema(() => z.int()));"],
    ['const of = (a) => z.array(a);', 'const of = (a) => lazySchema(() => z.array(a));'],
    [
      'const of = (a) => z.array(a); of(1).min(2);',
      'const of = (a) => lazySchema(() => z.array(a)); lazySchema(() => of(1).min(2));',
    ],
  ])('makes it late: %s', (code, late) => expect(withLateSchemas(code)).toBe(late));

  it.each([
    'const shape = z.toJSONSchema(schema);',
    'const most = Math.max(1, 2);',
    'const read = (text) => z.int().parse(text);',
    'function read(text) { return z.object({ a: z.int() }); }',
    'const list = files.slice(0).filter(Boolean);',
  ])('leaves %s', (code) => expect(withLateSchemas(code)).toBe(code));
});
