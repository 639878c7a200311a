// zod shapes as JSON Schema for the OpenAPI document. Shapes with an id become components, everything else stands where
// it is used.
import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

type Direction = 'input' | 'output';

export type SchemaBook = ReturnType<typeof createSchemaBook>;

export function createSchemaBook() {
  const components: Record<string, JsonSchema> = {};

  const add = (name: string, schema: JsonSchema): void => {
    const known = components[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two shapes are called ${name} in the API.`);
    components[name] = schema;
  };

  /** What is sent (`input`) or answered (`output`); a reference when the shape has an id. */
  const schemaOf = (shape: z.ZodType, io: Direction): JsonSchema => {
    const {
      $schema: _,
      $defs,
      ...schema
    } = z.toJSONSchema(shape, { io, unrepresentable: 'any', override: simplify }) as JsonSchema;
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>))
      add(name, rewrite(definition));
    return rewrite(schema);
  };

  return { components, schemaOf };
}

/**
 * Query and path parameters by name. Their texts are turned into numbers, so the rule after the transformation is the
 * one to show; where a transformation hides it, the rule of the text.
 */
export function parametersOf(
  shape: z.ZodType,
  book: SchemaBook,
): { name: string; required: boolean; schema: JsonSchema }[] {
  const input = book.schemaOf(shape, 'input');
  if ('$ref' in input) throw new Error(`A query or path shape has no id of its own: ${String(input['$ref'])}`);
  const outputs = propertiesOf(book.schemaOf(shape, 'output'));
  const required = (input['required'] ?? []) as string[];
  return Object.entries(propertiesOf(input)).map(([name, text]) => {
    const parsed = outputs[name] ?? {};
    const says = ['type', 'enum', 'anyOf', '$ref'].some((key) => key in parsed);
    return { name, required: required.includes(name), schema: says ? parsed : { ...text, ...parsed } };
  });
}

const propertiesOf = (schema: JsonSchema): Record<string, JsonSchema> =>
  (schema['properties'] ?? {}) as Record<string, JsonSchema>;

/**
 * Takes out what only a machine would miss: zod's bounds of safe integers, the long pattern behind date-time, closed
 * answers.
 */
function simplify({
  jsonSchema,
  zodSchema,
}: {
  jsonSchema: z.core.JSONSchema.BaseSchema;
  zodSchema: z.core.$ZodType;
}): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // Answers may grow new fields; only strict bodies are closed.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) delete jsonSchema.additionalProperties;
  delete jsonSchema.id; // the name of its component; a keyword of older drafts
}

function rewrite(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
