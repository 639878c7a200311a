// The API documentation as an HTML page, rendered from the OpenAPI document: no scripts, nothing from other hosts.
import { exampleLine } from './docs-examples.ts';
import { docsStyle } from './docs-style.ts';
import { escapeHtml as escape } from './html.ts';
import type { JsonSchema } from './json-schema.ts';
import type { OpenApiDocument, Operation, Parameter } from './openapi.ts';

type Schemas = OpenApiDocument['components']['schemas'];

interface Group {
  name: string;
  entries: Entry[];
}
interface Entry {
  path: string;
  method: string;
  operation: Operation;
}

export function docsHtml(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const groups = document.tags.map(({ name }): Group => ({ name, entries: entriesOf(document, name) }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} API ${escape(version)}</title>
<style>${docsStyle}</style>
</head>
<body>
<nav aria-label="Sections">
<p class="brand">${escape(title)} <span>API ${escape(version)}</span></p>
<ul>${groups.map(sectionLink).join('')}</ul>
<ul><li><a href="#schemas">Schemas</a></li><li><a href="openapi.json">openapi.json</a></li></ul>
</nav>
<main>
<h1>${escape(title)} API</h1>
<p class="lead">${escape(description)}</p>
<p>Where it says “signed in”, send the <code>access_token</code> that <code>POST /auth/login</code> gives:
<code>Authorization: Bearer TOKEN</code>.</p>
${groups.map((group) => section(group, document.components.schemas)).join('\n')}
<section id="schemas"><h2>Schemas</h2>
${Object.entries(document.components.schemas)
  .sort(([a], [b]) => a.localeCompare(b))
  .map(shapeBlock)
  .join('\n')}
</section>
</main>
</body>
</html>
`;
}

const entriesOf = (document: OpenApiDocument, tag: string): Entry[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  );

const sectionLink = ({ name, entries }: Group): string =>
  `<li><a href="#${anchor(name)}">${escape(name)} <small>${entries.length}</small></a></li>`;

const section = ({ name, entries }: Group, schemas: Schemas): string =>
  `<section id="${anchor(name)}"><h2>${escape(name)}</h2>${entries
    .map((entry) => operationBlock(entry, schemas))
    .join('\n')}</section>`;

function operationBlock({ path, method, operation }: Entry, schemas: Schemas): string {
  const access = operation['x-access'];
  return `<details class="operation">
<summary><b class="method ${method}">${method.toUpperCase()}</b> <code>${pathText(path)}</code>
<span class="what">${escape(operation.summary)}</span> <span class="access ${access}">${ACCESS[access]}</span></summary>
<div class="inside" id="${anchor(operation.operationId)}">
${operation.description ? `<p>${escape(operation.description)}</p>` : ''}
<pre><code>${escape(exampleLine(path, method, operation, schemas))}</code></pre>
${parameterTable(operation.parameters)}${bodyBlock(operation)}${replyTable(operation)}</div>
</details>`;
}

const ACCESS: Record<Operation['x-access'], string> = {
  public: 'public',
  user: 'signed in',
  stream: 'signed in or ?token=',
  superuser: 'administrator',
};

function parameterTable(parameters: Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: location, required, description, schema }) =>
    row(name, location === 'path' || required, schema, description, location),
  );
  return `<h3>Parameters</h3><table>${rows.join('')}</table>`;
}

function bodyBlock({ requestBody }: Operation): string {
  if (!requestBody) return '';
  const [content] = Object.values(requestBody.content);
  const types = Object.keys(requestBody.content).join(' or ');
  return `<h3>Body <small>${escape(types)}</small></h3>${content ? shape(content.schema) : ''}`;
}

function replyTable({ responses }: Operation): string {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(([type, { schema }]) =>
      Object.keys(schema).length > 0 ? typeText(schema) : `<i>${escape(type)}</i>`,
    );
    const code = `<span class="status s${status.charAt(0)}">${escape(status)}</span>`;
    return tableRow(code, escape(description), types.join('<br>'));
  });
  return `<h3>Responses</h3><table>${rows.join('')}</table>`;
}

/** Returns the details of a shape. The anchor is inside them, so that a browser that jumps to it opens them. */
const shapeBlock = ([name, schema]: [string, JsonSchema]): string =>
  `<details class="shape"><summary><code>${escape(name)}</code></summary>
<div class="inside" id="shape-${anchor(name)}">${shape(schema)}</div></details>`;

/** Returns the fields of an object as a table; for anything else, its type. */
function shape(schema: JsonSchema): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return `<p>${typeText(schema)}</p>`;
  const required = (schema['required'] ?? []) as string[];
  const rows = properties.map(([name, field]) =>
    row(name, required.includes(name), field, field['description'] as string | undefined),
  );
  return `<table>${rows.join('')}</table>`;
}

function row(name: string, required: boolean, schema: JsonSchema, description = '', location = ''): string {
  const notes = [location, required ? '' : 'optional', limits(schema)].filter(Boolean).join(' · ');
  const descriptionCell = `${escape(description)} <small>${escape(notes)}</small>`;
  return tableRow(`<code>${escape(name)}</code>`, typeText(schema), descriptionCell);
}

const tableRow = (head: string, ...cells: string[]): string =>
  `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

/** Returns a type such as `TrackOut[]`, `string | null` or `"asc" | "desc"`; named shapes are links. */
function typeText(schema: JsonSchema): string {
  const { $ref: ref, enum: values, type, items, anyOf, format } = schema;
  const constant = schema['const'];
  if (typeof ref === 'string') return reference(ref);
  if (constant !== undefined) return escape(JSON.stringify(constant));
  if (Array.isArray(values)) return values.map((value) => escape(JSON.stringify(value))).join(' | ');
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).map(typeText).join(' | ');
  if (Array.isArray(type)) return type.map((typeName) => escape(String(typeName))).join(' | ');
  if (type === 'array') return `${typeText((items ?? {}) as JsonSchema)}[]`;
  if (type === 'object' && schema['properties'])
    return `{ ${Object.entries(schema['properties'] as Record<string, JsonSchema>)
      .map(([name, field]) => `${escape(name)}: ${typeText(field)}`)
      .join(', ')} }`;
  const baseType = typeof type === 'string' ? type : 'any';
  return escape(typeof format === 'string' ? `${baseType} (${format})` : baseType);
}

function reference(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return `<a href="#shape-${anchor(name)}">${escape(name)}</a>`;
}

const LIMIT_WORDS: [keyword: string, word: string][] = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'above'],
  ['maximum', 'at most'],
  ['minLength', 'min. length'],
  ['maxLength', 'max. length'],
  ['pattern', 'matches'],
  ['default', 'default'],
];
const limits = (schema: JsonSchema): string =>
  LIMIT_WORDS.filter(([keyword]) => schema[keyword] !== undefined)
    .map(
      ([keyword, word]) =>
        `${word} ${typeof schema[keyword] === 'string' ? schema[keyword] : JSON.stringify(schema[keyword])}`,
    )
    .join(', ');

const pathText = (path: string): string => escape(path).replaceAll(/\{(\w+)\}/g, '<var>{$1}</var>');
const anchor = (name: string): string => name.replaceAll(/[^\w-]+/g, '-');
