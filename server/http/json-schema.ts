// Converts zod schemas to JSON Schema for the OpenAPI document. Schemas with an id become components, the others are
// inlined.
import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

type Direction = 'input' | 'output';

export type SchemaBook = ReturnType<typeof createSchemaBook>;

export function createSchemaBook() {
  const components: Record<string, JsonSchema> = {};

  const add = (name: string, schema: JsonSchema): void => {
    const existingSchema = components[name];
    if (existingSchema && JSON.stringify(existingSchema) !== JSON.stringify(schema))
      throw new Error(`Two different schemas have the id ${name}.`);
    components[name] = schema;
  };

  /** Returns the schema of a request (`input`) or a response (`output`), as a reference if it has an id. */
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
 * Returns the query and path parameters. They are parsed from text, so the documented type is that of the output, or
 * that of the text where a zod transformation hides the output.
 */
export function parametersOf(
  shape: z.ZodType,
  book: SchemaBook,
): { name: string; required: boolean; schema: JsonSchema }[] {
  const input = book.schemaOf(shape, 'input');
  if ('$ref' in input) throw new Error(`The schema of a query or path must not have an id: ${String(input['$ref'])}`);
  const outputs = propertiesOf(book.schemaOf(shape, 'output'));
  const required = (input['required'] ?? []) as string[];
  return Object.entries(propertiesOf(input)).map(([name, text]) => {
    const parsed = outputs[name] ?? {};
    const hasType = ['type', 'enum', 'anyOf', '$ref'].some((key) => key in parsed);
    return { name, required: required.includes(name), schema: hasType ? parsed : { ...text, ...parsed } };
  });
}

const propertiesOf = (schema: JsonSchema): Record<string, JsonSchema> =>
  (schema['properties'] ?? {}) as Record<string, JsonSchema>;

/** Removes what readers do not need: the long pattern of date-time, and `additionalProperties` of responses. */
function simplify({
  jsonSchema,
  zodSchema,
}: {
  jsonSchema: z.core.JSONSchema.BaseSchema;
  zodSchema: z.core.$ZodType;
}): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // responses may get new fields; only strict request bodies reject unknown ones
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) delete jsonSchema.additionalProperties;
  delete jsonSchema.id; // `id` is a keyword of older drafts, and here only the name of the component
}

function rewrite(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}
