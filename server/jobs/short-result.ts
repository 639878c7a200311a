// A job's result as lists and events contain it. The result of a scan may have thousands of lines: above a limit its
// lists are empty and its objects null, while counts stay. The whole result is at GET /jobs/{id}.
import { sql, type SQL } from 'drizzle-orm';
import { jobs } from '../db/schema.ts';

const MAX_CHARS = 8_192;

export function shortResult(result: unknown): unknown {
  if (result === null || result === undefined || JSON.stringify(result).length <= MAX_CHARS) return result;
  if (typeof result !== 'object' || Array.isArray(result)) return null;
  return Object.fromEntries(
    Object.entries(result).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? [] : typeof value === 'object' ? null : value,
    ]),
  );
}

/** The same shortening in SQL, so that long results are not even read from the database. */
export const shortResultSql: SQL = sql`CASE WHEN length(${jobs.result}) <= ${MAX_CHARS} THEN ${jobs.result}
  WHEN json_type(${jobs.result}) = 'object' THEN (SELECT json_group_object(key, CASE type
    WHEN 'array' THEN json('[]') WHEN 'object' THEN json('null') WHEN 'true' THEN json('true') WHEN 'false'
    THEN json('false') ELSE value END) FROM json_each(${jobs.result})) END`.mapWith(jobs.result);
