import { expect, test } from 'vitest';
import { z } from 'zod';
import '../../../server/http/value-words.ts';

test.each<[z.ZodType, unknown, string]>([
  [z.object({ name: z.string() }), {}, 'is missing'],
  [z.string(), 5, 'must be text'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'x', 'must be true or false'],
  [z.array(z.int()), {}, 'must be a list'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.literal('a'), 'c', 'must be a'],
  [z.object({ kind: z.enum(['a', 'b']) }), {}, 'is missing: one of a, b'],
  [z.string().min(3), 'a', 'must have at least 3 characters'],
  [z.string().max(1), 'ab', 'must have at most 1 character'],
  [z.array(z.int()).min(1), [], 'must have at least 1 item'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.number().lt(5), 5, 'must be less than 5'],
  [z.int().positive(), 0, 'must be more than 0'],
  [z.iso.datetime(), 'x', 'must be a time such as 2026-01-31T20:00:00Z'],
  [z.string().regex(/^a$/, 'must be an a'), 'b', 'must be an a'],
])('a wrong value is described in words (%#)', (schema, value, words) => {
  expect(schema.safeParse(value).error?.issues.map(({ message }) => message)).toEqual([words]);
});
