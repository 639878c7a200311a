// Makes an example of each operation for the documentation: a line of curl, with what its schema requires.
import type { JsonSchema } from './json-schema.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

/** Example values by field name; other fields get a value by their type. */
const EXAMPLE_VALUES: Record<string, unknown> = {
  username: 'ann',
  password: 'correct horse battery',
  setup_token: 'TOKEN_THAT_THE_SERVER_PRINTED',
  ticket: 'TICKET',
  name: 'Evening',
  title: 'Blue',
  q: 'blue',
  source: 'streamsrc',
  source_id: 'ia:item/file.mp3',
  url: 'https://radio.example/stream',
  feed_url: 'https://podcasts.example/feed.xml',
  path: '/srv/music',
  to: '/media/disk/tonearm',
  folder: 'Artist/Album',
  tz: 'Europe/Berlin',
  charset: 'windows-1251',
  value: 5,
  candidate: 'embedded-1-1',
  artist_mbid: 'b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d',
};
const MAX_DEPTH = 6;

type Schemas = OpenApiDocument['components']['schemas'];

/**
 * Returns a value that the schema accepts: an object with its required fields, or with the first field if none is
 * required.
 */
export function exampleValue(schema: JsonSchema, schemas: Schemas, name = '', depth = 0): unknown {
  const { $ref: ref, enum: values, type, items, anyOf, allOf, format, minimum, default: defaultValue } = schema;
  if (typeof ref === 'string')
    return exampleValue(schemas[ref.slice(ref.lastIndexOf('/') + 1)] ?? {}, schemas, name, depth + 1);
  // an own keyword, because zod leaves `examples` out of transformed types
  if (schema['x-example'] !== undefined) return schema['x-example'];
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(values)) return values[0];
  const [firstVariant] = (anyOf ?? allOf ?? schema['oneOf'] ?? []) as JsonSchema[];
  if (firstVariant && depth < MAX_DEPTH) return exampleValue(firstVariant, schemas, name, depth + 1);
  if (type === 'object' || schema['properties']) return exampleObject(schema, schemas, depth);
  if (type === 'array') {
    const minItems = Math.max(1, Number(schema['minItems'] ?? 1));
    const makeItem = (): unknown => exampleValue((items ?? {}) as JsonSchema, schemas, name, depth + 1);
    return depth < MAX_DEPTH ? Array.from({ length: minItems }, makeItem) : [];
  }
  if (type === 'boolean') return defaultValue !== true;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum ?? 1));
  if (format === 'date-time') return '2026-01-31T20:15:00.000Z';
  if (format === 'uri') return 'https://example.org/';
  return EXAMPLE_VALUES[name] ?? defaultValue ?? 'text';
}

function exampleObject(schema: JsonSchema, schemas: Schemas, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const required = (schema['required'] ?? []) as string[];
  const requiredFields = properties.filter(([name]) => required.includes(name));
  return Object.fromEntries(
    (requiredFields.length > 0 ? requiredFields : properties.slice(0, 1)).map(([name, field]) => [
      name,
      exampleValue(field, schemas, name, depth + 1),
    ]),
  );
}

/** Returns a line such as `curl -X POST … /api/v1/likes`, which is meant to be read more than to be run. */
export function exampleLine(path: string, method: string, operation: Operation, schemas: Schemas): string {
  const query = operation.parameters
    .filter(({ in: location, required }) => location === 'query' && required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleValue(schema, schemas, name)))}`);
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'source' ? 'local_folder' : '1'));
  const address = `http://127.0.0.1:4747${filledPath}`;
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const bodyOption =
    type === 'application/json'
      ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(exampleValue(content?.schema ?? {}, schemas))}'`
      : type === undefined
        ? ''
        : ' -F file=@FILE';
  const authOption = operation.security.length > 0 ? ` -H 'Authorization: Bearer TOKEN'` : '';
  const methodOption =
    method === 'get' || (method === 'post' && bodyOption !== '') ? '' : ` -X ${method.toUpperCase()}`;
  return `curl${methodOption}${authOption}${bodyOption} '${address}${query.length > 0 ? `?${query.join('&')}` : ''}'`;
}
