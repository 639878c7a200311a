// Responds to an unknown path of the API with similar paths.
import type { RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import type { Route } from './route.ts';

const MAX_SUGGESTIONS = 3;
const MAX_PATH_CHARACTERS = 100;
/** Maximum share of different characters in similar paths, relative to the longer path. */
const MAX_DIFFERENCE = 0.5;

/** Returns the Levenshtein distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const nextRow = [i];
    for (let j = 1; j <= b.length; j++)
      nextRow[j] = Math.min(
        (nextRow[j - 1] ?? 0) + 1,
        (row[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
      );
    row = nextRow;
  }
  return row[b.length] ?? 0;
}

/** Returns the most similar paths, nearest first, such as `GET, PATCH /tracks/{id}`. All ids count as the same. */
export function nearestPaths(routes: readonly Route[], path: string): string[] {
  const segments = path.toLowerCase().split('/').filter(Boolean);
  const requestedPath = segments.map((part) => (/^\d+$/.test(part) ? ':' : part)).join('/');
  if (requestedPath.length > MAX_PATH_CHARACTERS) return [];
  return [...Map.groupBy(routes, ({ spec }) => spec.path)]
    .map(([routePath, group]) => ({
      routePath,
      group,
      comparedPath: routePath.slice(1).toLowerCase().replaceAll(/:\w+/g, ':'),
    }))
    .map((candidate) => ({
      ...candidate,
      difference:
        distance(requestedPath, candidate.comparedPath) / Math.max(requestedPath.length, candidate.comparedPath.length),
    }))
    .filter(({ difference: share }) => share <= MAX_DIFFERENCE)
    .toSorted((a, b) => a.difference - b.difference)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ routePath, group }) => {
      const methods = group.map(({ spec }) => spec.method.toUpperCase()).join(', ');
      return `${methods} ${routePath.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
}

export const unknownPathHandler =
  (routes: () => readonly Route[]): RequestHandler =>
  ({ path }) => {
    const suggestions = nearestPaths(routes(), path);
    const hint =
      suggestions.length === 0 ? 'All paths are listed at /api/v1/docs.' : `Did you mean ${suggestions.join(' or ')}?`;
    throw new AppError('not_found', `There is nothing at /api/v1${path.slice(0, MAX_PATH_CHARACTERS)}. ${hint}`);
  };
