// Values that a server should refuse or tolerate, by the schema of the value.
type Random = () => number;
export type JsonSchema = { [key: string]: unknown };

export const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const TEXT_VALUES = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '\u0000',
  '\u202e',
  '\ud800',
  '🎵',
  'é',
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '%',
  '%00',
  '..',
  '../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  'C:\\',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://[::1]/',
  '<script>alert(1)</script>',
  '$(id)',
  '`id`',
  '-version',
  '@/etc/passwd',
  '__proto__',
  'constructor',
  'NEAR("a" "b")',
  'a* AND NOT b',
  '*',
  '"',
  '2026-02-30T00:00:00Z',
  '-001000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:59-12:00',
  'Europe/Nowhere',
  'tr-1',
  'al-1',
  'ar-1',
  'pl-1',
  'dir-0',
  'tr-999999999999999',
  'x'.repeat(300),
  'ä'.repeat(5_000),
];
const NUMBER_VALUES = [0, 1, -1, 2, 5, 7, 100, 201, 0.5, -0.5, 1e9, 1e15, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];

export const oddText = (random: Random): string =>
  random() < 0.1 ? String(pick(random, NUMBER_VALUES)) : pick(random, TEXT_VALUES);

const ODD_VALUES: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  '',
  'x',
  0,
  -1,
  1.5,
  Infinity,
  { __proto__: 1 },
];

/**
 * Returns a value that mostly follows the schema and is unusual somewhere; `resolve` returns the schema of a `$ref`.
 */
export function valueFor(schema: JsonSchema, random: Random, resolve: (ref: string) => JsonSchema, depth = 0): unknown {
  if (random() < 0.06) return pick(random, ODD_VALUES);
  if (typeof schema['$ref'] === 'string') return valueFor(resolve(schema['$ref']), random, resolve, depth);
  const branches = (schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf']) as JsonSchema[] | undefined;
  if (branches) return depth > 6 ? null : valueFor(pick(random, branches), random, resolve, depth + 1);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return random() < 0.8 ? pick(random, schema['enum']) : oddText(random);
  const type = Array.isArray(schema['type']) ? pick(random, schema['type']) : schema['type'];
  if (type === 'object') return objectFor(schema, random, resolve, depth);
  if (type === 'array') {
    const length = pick(random, [0, 1, 1, 2, 3, 30, depth > 2 ? 3 : 300]);
    const items = (schema['items'] ?? {}) as JsonSchema;
    return Array.from({ length: depth > 6 ? 0 : length }, () => valueFor(items, random, resolve, depth + 1));
  }
  if (type === 'integer' || type === 'number') return numberFor(schema, random);
  if (type === 'boolean') return random() < 0.5;
  if (type === 'null') return null;
  return random() < 0.4 ? fittingText(schema, random) : oddText(random);
}

function objectFor(
  schema: JsonSchema,
  random: Random,
  resolve: (ref: string) => JsonSchema,
  depth: number,
): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const requiredNames = (schema['required'] ?? []) as string[];
  const generatedObject: Record<string, unknown> = {};
  for (const [name, inner] of properties)
    if (random() < (requiredNames.includes(name) ? 0.97 : 0.4))
      generatedObject[name] = valueFor(inner, random, resolve, depth + 1);
  if (random() < 0.03) generatedObject[oddText(random)] = oddText(random);
  return generatedObject;
}

function numberFor(schema: JsonSchema, random: Random): unknown {
  const minimum = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? 0);
  const maximum = Number(schema['maximum'] ?? 1_000);
  const edges = [minimum, maximum, minimum - 1, maximum + 1, ...NUMBER_VALUES];
  return random() < 0.5 ? Math.floor(random() * Math.min(60, maximum)) + 1 : pick(random, edges);
}

function fittingText(schema: JsonSchema, random: Random): string {
  if (schema['format'] === 'date-time') return new Date(1e12 * (1 + random())).toISOString();
  if (schema['format'] === 'date') return '2026-03-01';
  const length = Math.min(40, Number(schema['maxLength'] ?? 40));
  return 'Moon River and the long way home again'.slice(0, 1 + Math.floor(random() * length));
}
