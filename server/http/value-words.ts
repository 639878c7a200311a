// Describes invalid input in words. These messages replace zod's own wherever a schema has no text of its own.
// Importing this file sets them for all schemas.
import { z } from 'zod';

const KINDS: Record<string, string> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  datetime: 'a time such as 2026-01-31T20:00:00Z',
  date: 'a date such as 2026-01-31',
  url: 'a URL',
  email: 'an e-mail address',
};

/** Returns the message for an issue; undefined if zod's own text is used. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined
        ? `is missing: one of ${issue.values.join(', ')}`
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_format':
      return FORMATS[issue.format] === undefined ? 'has the wrong format' : `must be ${FORMATS[issue.format]}`;
    default:
      return undefined;
  }
}

function sizeOf(origin: string, size: number | bigint, comparison: string): string {
  if (origin === 'string') return `have ${comparison} ${size} ${size === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${comparison} ${size} ${size === 1 ? 'item' : 'items'}`;
  return `be ${comparison} ${size}`;
}

z.config({ customError: messageOf });
