// The answer to a path that the API does not have: it names those that were probably meant.
import type { RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import type { Route } from './route.ts';

const MOST_NAMED = 3;
const LONGEST_COMPARED = 100;
/** Of the longer of two paths: what may differ. */
const SHARE = 0.5;

/** Returns how many characters have to be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns the paths most like it, the nearest first, as `GET, PATCH /tracks/{id}`. All ids count as the same. */
export function nearestPaths(routes: readonly Route[], path: string): string[] {
  const parts = path.toLowerCase().split('/').filter(Boolean);
  const asked = parts.map((part) => (/^\d+$/.test(part) ? ':' : part)).join('/');
  if (asked.length > LONGEST_COMPARED) return [];
  return [...Map.groupBy(routes, ({ spec }) => spec.path)]
    .map(([routePath, group]) => ({
      routePath,
      group,
      plain: routePath.slice(1).toLowerCase().replaceAll(/:\w+/g, ':'),
    }))
    .map((one) => ({ ...one, off: distance(asked, one.plain) / Math.max(asked.length, one.plain.length) }))
    .filter(({ off }) => off <= SHARE)
    .toSorted((a, b) => a.off - b.off)
    .slice(0, MOST_NAMED)
    .map(({ routePath, group }) => {
      const methods = group.map(({ spec }) => spec.method.toUpperCase()).join(', ');
      return `${methods} ${routePath.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
}

export const unknownPathHandler =
  (routes: () => readonly Route[]): RequestHandler =>
  ({ path }) => {
    const near = nearestPaths(routes(), path);
    const hint = near.length === 0 ? 'All paths are listed at /api/v1/docs.' : `Did you mean ${near.join(' or ')}?`;
    throw new AppError('not_found', `There is nothing at /api/v1${path.slice(0, LONGEST_COMPARED)}. ${hint}`);
  };
