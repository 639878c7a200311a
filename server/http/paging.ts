// Offset paging of the REST API: limit 1..200 (default 50), offset from 0; anything else is 422.
import { z } from 'zod';

export interface Page {
  limit: number;
  offset: number;
}
export interface Paged<T> {
  items: T[];
  total: number;
}

export const queryInt = z
  .string()
  .regex(/^-?\d{1,15}$/, 'must be a whole number')
  .transform(Number);
export const queryBool = z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1');

/** Larger than the offset in any list. */
const MAX_OFFSET = 10 ** 12;

export const pageQuery = {
  limit: queryInt.pipe(z.int().min(1).max(200)).default(50).meta({ description: 'items per page, 1 to 200' }),
  offset: queryInt.pipe(z.int().min(0).max(MAX_OFFSET)).default(0).meta({ description: 'items to skip' }),
};

export const pagedOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    total: z.int().min(0),
    limit: z.int().min(1).max(200),
    offset: z.int().min(0).max(MAX_OFFSET),
  });

/**
 * The schema that all paged lists have in common, for programs that read them in the same way. Each list also has a
 * component of its own with the schema of its items.
 */
export const PagedResponse = pagedOf(z.unknown()).meta({ id: 'PagedResponse', description: 'A part of a list' });

export const toPaged = <T, U>(paged: Paged<T>, page: Page, toOut: (row: T) => U) => ({
  items: paged.items.map(toOut),
  total: paged.total,
  limit: page.limit,
  offset: page.offset,
});

/** Returns the schema of an `id` in a path; anything but a positive whole number is 422. */
export const idParam = <T extends z.ZodType>(id: T) =>
  z.object({
    id: z
      .string()
      .regex(/^\d{1,15}$/, 'must be a positive whole number')
      .transform(Number)
      .pipe(id as unknown as z.ZodType<z.output<T>, number>),
  });
