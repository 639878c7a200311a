// Which statuses a route may answer with; the OpenAPI document lists them, and tests check responses against them.
import type { ErrorCode } from '../errors.ts';
import { PROBLEMS } from './problem.ts';
import type { RouteSpec } from './route.ts';

type Spec = Pick<
  RouteSpec,
  'method' | 'access' | 'params' | 'query' | 'body' | 'reply' | 'status' | 'problems' | 'produces' | 'consumes'
>;

export const successesOf = ({ status, reply, produces }: Spec): number[] => status ?? [reply || produces ? 200 : 204];

/** Returns the statuses of errors with a body, in order. */
export function refusalsOf(spec: Spec): number[] {
  const hasBody = spec.body !== undefined || spec.consumes !== undefined;
  const isRanged = successesOf(spec).includes(206);
  const codes: ErrorCode[] = [
    'bad_request',
    ...(spec.access === 'public' ? [] : (['unauthenticated'] as const)),
    'forbidden', // another site, or a host name that is not ours; and where it takes an administrator
    ...(spec.params || spec.method !== 'get' ? (['not_found'] as const) : []),
    ...(spec.method === 'get' ? [] : (['conflict', 'storage_full'] as const)),
    ...(isRanged ? (['precondition_failed', 'range_not_satisfiable', 'storage_full'] as const) : []),
    'too_large', // also of an address with very many parameters
    ...(hasBody ? (['unsupported_type'] as const) : []),
    ...(hasBody || spec.params || spec.query ? (['invalid'] as const) : []),
    'too_many_requests',
    'unavailable',
    ...(spec.problems ?? []),
  ];
  return [...new Set([...codes.map((code) => PROBLEMS[code].status), ...CONNECTION_STATUSES])].sort((a, b) => a - b);
}

/** Statuses sent before routing: a request that is incomplete, and headers that are too large. */
const CONNECTION_STATUSES = [408, 431];

export const statusesOf = (spec: Spec): Set<number> => new Set([...successesOf(spec), ...refusalsOf(spec)]);
