// Validates Subsonic responses: JSON with the OpenAPI description, XML with the XSD, which we may not distribute:
// SUBSONIC_XSD=<xsd 1.16.1 with the fields of OpenSubsonic> SUBSONIC_XSD_LEGACY=<the original xsd 1.16.1> npx vitest
// run …
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { toolOrWarn } from './tools.ts';
import { sayLeftOut } from './left-out.ts';

interface Schema {
  [key: string]: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
}
interface Description {
  paths: Record<string, { get?: unknown; post?: unknown }>;
  components: { schemas: Record<string, Schema> };
}

const description = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'fixtures', 'opensubsonic', 'openapi.json'), 'utf8'),
) as Description;
/** The schema of the jukebox, which requires a volume that neither the protocol nor any server has. */
const jukebox = description.components.schemas['JukeboxStatus'];
if (jukebox) jukebox.required = ['currentIndex', 'playing', 'gain'];

const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (to: Ajv) => void)(ajv);
ajv.addSchema(description, 'os');
const checks = new Map<string, ValidateFunction>();

export const describedEndpoints = (): string[] =>
  Object.keys(description.paths).map((path) => path.replace('/rest/', ''));

/** Returns the names of an endpoint's parameters according to the description. */
export function describedParameters(endpoint: string): string[] {
  const { get, post } = description.paths[`/rest/${endpoint}`] ?? {};
  const { parameters = [] } = (get ?? post ?? {}) as { parameters?: { name: string }[] };
  return parameters.map(({ name }) => name);
}

/** Returns the errors of a JSON response. */
export function jsonFaults(endpoint: string, body: unknown): string[] {
  let check = checks.get(endpoint);
  if (!check) {
    check = ajv.compile({ $ref: `os#${pointerOf(endpoint)}` });
    checks.set(endpoint, check);
  }
  const faults = check(body) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  return [...faults, ...listUnknownFields(body, '')];
}

/** Returns the schema of an endpoint's response; some schemas have other names. */
function pointerOf(endpoint: string): string {
  const path = description.paths[`/rest/${endpoint}`] ?? {};
  const method = path.get ? 'get' : 'post';
  type Answer = { $ref?: string; content?: Record<string, unknown> };
  const okResponse = (path[method] as { responses: Record<string, Answer> }).responses['200'];
  // these endpoints have an envelope only for errors
  const isBytes =
    okResponse?.$ref?.endsWith('/BinaryResponse') || (okResponse?.content && !okResponse.content['application/json']);
  if (isBytes) return '/components/schemas/SubsonicResponse';
  const schemaPath = okResponse?.$ref?.slice(1) ?? `/paths/~1rest~1${endpoint}/${method}/responses/200`;
  return `${schemaPath}/content/application~1json/schema`;
}

/** Every property in the description, and others that servers are known to send. */
const KNOWN_PROPERTIES = new Set([
  'subsonic-response',
  'email',
  'folderCount',
  'lastScan',
  'name',
  'songCount',
  'gain',
  'video',
  'match',
  'offset',
  'totalHits',
  ...propertiesOf(description),
]);

function propertiesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const ownSchema =
    'properties' in value && typeof value.properties === 'object' && value.properties !== null
      ? Object.keys(value.properties)
      : [];
  return [...ownSchema, ...Object.values(value).flatMap(propertiesOf)];
}

/** Returns unknown properties, such as misspelled ones, and nulls, which break clients: the description allows both. */
function listUnknownFields(value: unknown, path: string): string[] {
  if (value === null) return [`${path} is null`];
  if (Array.isArray(value)) return value.flatMap((item, n) => listUnknownFields(item, `${path}/${n}`));
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...(KNOWN_PROPERTIES.has(key) ? [] : [`${path}/${key} is not known`]),
    ...listUnknownFields(item, `${path}/${key}`),
  ]);
}

export interface XmlDocument {
  name: string;
  xml: string;
}

/** Returns the path of the original XSD, which is usually beside the extended one. */
function originalBeside(schema: string | undefined): string | undefined {
  const path = schema?.replace('-opensubsonic', '');
  return path !== undefined && path !== schema && existsSync(path) ? path : undefined;
}

/** Returns the errors of XML responses; undefined, with a warning, without a validator. */
export function xmlFaults(
  documents: readonly XmlDocument[],
  schemaVariable: 'SUBSONIC_XSD' | 'SUBSONIC_XSD_LEGACY',
): string[] | undefined {
  const schema =
    schemaVariable === 'SUBSONIC_XSD'
      ? process.env[schemaVariable]
      : (process.env[schemaVariable] ?? originalBeside(process.env['SUBSONIC_XSD']));
  if (documents.length === 0) throw new Error('there is nothing to check');
  if (schema === undefined || schema === '') {
    sayLeftOut(`${schemaVariable} is not set: XML answers are NOT checked against the schema of Subsonic.`);
    return undefined;
  }
  const xmllint = toolOrWarn('xmllint', 'XML answers are', '--version');
  if (!xmllint) return undefined;
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-xml-'));
  try {
    documents.forEach(({ xml }, n) => writeFileSync(join(dir, `${n}.xml`), xml));
    const { stderr } = spawnSync(
      xmllint,
      ['--noout', '--schema', schema, ...documents.map((_, n) => join(dir, `${n}.xml`))],
      { encoding: 'utf8', maxBuffer: 64 << 20 },
    );
    const lines = stderr.split('\n').filter((line) => line !== '' && !line.endsWith(' validates'));
    return lines.map((line) => line.replace(/^.*?\/(\d+)\.xml/, (_, n: string) => documents[Number(n)]?.name ?? n));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
