// Generates the types of the REST API's routes for the windows, renderer/api/routes.ts, from the OpenAPI document. A
// test compares the file with the document; `npx vitest run test/integration/rest-types.test.ts -u` writes it anew.
import type { JsonSchema } from '../server/http/json-schema.ts';
import type { OpenApiDocument, Operation } from '../server/http/openapi.ts';

const HEAD = `// The routes of the REST API, made from its OpenAPI document by scripts/rest-types.ts.
`;

/** Returns the source of a module: an interface for each schema, and \`Routes\` with the input and reply of each route. */
export function restTypes({ paths, components }: OpenApiDocument): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    Object.keys(schema['properties'] ?? {}).length > 0
      ? `export interface ${name} ${typeOf(schema)}`
      : `export type ${name} = ${typeOf(schema)};`,
  );
  const routes = Object.entries(paths)
    .filter(([path]) => path.startsWith(API))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) =>
          `'${method.toUpperCase()} ${path.slice(API.length)}': { input: ${inputOf(operation)}; reply: ${replyOf(operation)} };`,
      ),
    );
  return [HEAD, ...schemas, `export interface Routes {\n${routes.join('\n')}\n}`, ''].join('\n');
}

const API = '/api/v1';

/** Returns the type of a request of the route: the required and optional values in path, query and body. */
function inputOf({ parameters, requestBody }: Operation): string {
  const fields = (['path', 'query'] as const).flatMap((location) => {
    const ofLocation = parameters.filter((parameter) => parameter.in === location);
    if (ofLocation.length === 0) return [];
    const isOptional = ofLocation.every(({ required }) => !required);
    const values = ofLocation.map(({ name, required, schema }) =>
      fieldOf(name, required, location === 'query' ? queryTypeOf(schema, required) : typeOf(schema)),
    );
    return `${location}${isOptional ? '?' : ''}: { ${values.join('; ')} }`;
  });
  if (requestBody) {
    const json = requestBody.content['application/json'];
    const type = json ? typeOf(json.schema) : 'FormData';
    fields.push(`body${requestBody.required ? '' : '?'}: ${type}`);
  }
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

/** Returns the type of a successful reply; \`undefined\` if the reply has no body. */
function replyOf({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const json = content?.['application/json'];
      return json ? typeOf(json.schema) : content ? 'unknown' : 'undefined';
    });
  return [...new Set(types)].join(' | ');
}

/**
 * Returns the type of a query value. Queries are sent as text, so numbers and booleans are allowed where text is
 * expected. An optional value may be `null`, which is omitted.
 */
function queryTypeOf(schema: JsonSchema, isRequired: boolean): string {
  const values = schema['enum'];
  const isBoolean = Array.isArray(values) && values.includes('true') && values.includes('false');
  const type = isBoolean ? 'boolean' : typeOf(schema);
  if (type === 'unknown') return type;
  return `${type}${type === 'string' ? ' | number' : ''}${isRequired ? '' : ' | null'}`;
}

function fieldOf(name: string, isRequired: boolean, type: string): string {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  return isRequired ? `${key}: ${type}` : `${key}?: ${type}${type === 'unknown' ? '' : ' | undefined'}`;
}

/**
 * Returns the union of types. Types that differ only in the limits of the document are one type; `unknown` includes all
 * others.
 */
function unionOf(types: readonly string[]): string {
  const members = [...new Set(types)];
  if (members.includes('unknown')) return 'unknown';
  return members.length === 1 ? (members[0] as string) : `(${members.join(' | ')})`;
}

const PRIMITIVES: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema: JsonSchema): string {
  const { $ref, enum: values, anyOf, oneOf, allOf, type, items } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  const variants = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (variants) return unionOf(variants.map(typeOf));
  if (allOf) return `(${(allOf as JsonSchema[]).map(typeOf).join(' & ')})`;
  if (Array.isArray(type)) return unionOf(type.map((memberType) => typeOf({ ...schema, type: memberType as string })));
  if (type === 'array') return `${parenthesized(typeOf((items ?? {}) as JsonSchema))}[]`;
  if (type === 'object' || schema['properties']) return objectOf(schema);
  return PRIMITIVES[type as string] ?? 'unknown';
}

const parenthesized = (type: string): string => (/^[\w{("]/.test(type) && !type.includes(' | ') ? type : `(${type})`);

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) =>
    fieldOf(name, (required as string[]).includes(name), typeOf(schema)),
  );
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  const values =
    additionalProperties && additionalProperties !== true ? typeOf(additionalProperties as JsonSchema) : 'unknown';
  return `Record<string, ${values}>`;
}
