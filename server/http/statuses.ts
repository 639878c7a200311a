// Determines the statuses with which a route may respond. The OpenAPI document lists them, and tests check responses
// against them.
import type { ErrorCode } from '../errors.ts';
import { PROBLEMS } from './problem.ts';
import type { RouteSpec } from './route.ts';

type Spec = Pick<
  RouteSpec,
  | 'method'
  | 'access'
  | 'params'
  | 'query'
  | 'body'
  | 'reply'
  | 'hasEtag'
  | 'status'
  | 'problems'
  | 'produces'
  | 'consumes'
>;

export const successesOf = ({ status, reply, produces, hasEtag }: Spec): number[] =>
  status ?? [reply || produces ? 200 : 204, ...(hasEtag ? [304] : [])];

/** Returns the statuses of error responses, in ascending order. */
export function refusalsOf(spec: Spec): number[] {
  const hasBody = spec.body !== undefined || spec.consumes !== undefined;
  const isRanged = successesOf(spec).includes(206);
  const codes: ErrorCode[] = [
    'bad_request',
    ...(spec.access === 'public' ? [] : (['unauthenticated'] as const)),
    'forbidden', // for requests from another site or with a foreign host name, and where an administrator is needed
    ...(spec.params || spec.method !== 'get' ? (['not_found'] as const) : []),
    ...(spec.method === 'get' ? [] : (['conflict', 'storage_full'] as const)),
    ...(isRanged ? (['precondition_failed', 'range_not_satisfiable', 'storage_full'] as const) : []),
    'too_large', // also for a URL with very many parameters
    ...(hasBody ? (['unsupported_type'] as const) : []),
    ...(hasBody || spec.params || spec.query ? (['invalid'] as const) : []),
    'too_many_requests',
    'unavailable',
    ...(spec.problems ?? []),
  ];
  return [...new Set([...codes.map((code) => PROBLEMS[code].status), ...CONNECTION_STATUSES])].sort((a, b) => a - b);
}

/** Statuses that are sent before routing: for an incomplete request, and for headers that are too large. */
const CONNECTION_STATUSES = [408, 431];

export const statusesOf = (spec: Spec): Set<number> => new Set([...successesOf(spec), ...refusalsOf(spec)]);
