// In the build, schemas that modules declare are made when they are first used: `const Page = z.object({ … })` becomes
// `const Page = lazySchema(() => z.object({ … }))`. Of thousands a start needs some hundred, and those of answers only
// the documentation needs (docs/decisions/0094-late-schemas.md).
import { join } from 'node:path';
import { parseAst, type Plugin } from 'vite';

const LATE = join(import.meta.dirname, '..', 'server', 'http', 'lazy-schema.ts');
/** With which a schema is made of another one. */
const METHODS = new Set(
  (
    'array brand catch check default describe exclude extend extract int max meta min nonnegative nonempty nullable ' +
    'nullish omit optional or partial pick pipe positive prefault readonly refine regex required safeExtend strict ' +
    'superRefine toLowerCase transform trim'
  ).split(' '),
);

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}
type Names = ReadonlySet<unknown>;

export const lazySchemas: Plugin = {
  name: 'late-schemas',
  transform: (code, id) =>
    /[\\/]server[\\/].*\.ts$/.test(id) && id !== LATE && /from ['"]zod['"]/.test(code)
      ? { code: `import { lazySchema } from ${JSON.stringify(LATE)};\n${withLateSchemas(code)}`, map: null }
      : undefined,
};

/** `code` is JavaScript: types are gone. */
export function withLateSchemas(code: string): string {
  const program = parseAst(code) as unknown as Node;
  let late = code;
  for (const { start, end } of schemasIn(program, namesOf(program)).toReversed())
    late = `${late.slice(0, start)}lazySchema(() => ${late.slice(start, end)})${late.slice(end)}`;
  return late;
}

/** What may be a schema or make one: what is imported, and those of the module itself. */
function namesOf(program: Node): Names {
  const names = new Set<unknown>();
  for (const statement of program['body'] as Node[]) {
    for (const { local } of (statement['specifiers'] ?? []) as { local?: Node }[]) names.add(local?.['name']);
    const { declarations = [] } = (statement['declaration'] ?? statement) as { declarations?: Node[] };
    for (const { id, init } of declarations as unknown as { id: Node; init: Node | null }[])
      if (init && (isSchema(init, names) || madeBy(init, names))) names.add(id['name']);
  }
  return names;
}

/** The outermost ones that are made while the module is loaded, and those that its functions give; in order. */
function schemasIn(node: Node, names: Names): Node[] {
  if (isSchema(node, names)) return [node];
  if (/Function|Class/.test(node.type)) return madeBy(node, names) ?? [];
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).flatMap((child) => schemasIn(child, names)),
  );
}

/** `(item) => z.object({ items: z.array(item) })` */
function madeBy(node: Node, names: Names): [Node] | undefined {
  if (node.type !== 'ArrowFunctionExpression') return undefined;
  const params = (node['params'] as Node[]).map((param) => param['name']);
  const body = node['body'] as Node;
  return isSchema(body, new Set([...names, ...params])) ? [body] : undefined;
}

/** `z.object(…)`, or methods of a schema, however many: `Track.omit(…).meta(…)`, `pagedOf(Track).meta(…)`. */
function isSchema(node: Node, names: Names): boolean {
  const callee = node['callee'] as Node | undefined;
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return false;
  const object = callee['object'] as Node;
  const method = (callee['property'] as Node)['name'] as string;
  if (object['name'] === 'z') return !method.startsWith('to');
  const maker = (object['callee'] as Node | undefined) ?? object;
  return METHODS.has(method) && (names.has(maker['name']) || isSchema(object, names));
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
