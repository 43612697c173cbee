import fieldTexts from '../../data/field-texts.json' with { type: 'json' };
import requestExamples from '../../data/request-examples.json' with { type: 'json' };
import { renderCodeSamples, type CodeSample } from './code-samples.ts';

/** The parts of a JSON Schema that `completeDocument` reads and writes. */
interface Schema {
  description?: string;
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  required?: string[];
}
interface Content {
  schema?: Schema;
  example?: unknown;
}
interface Operation {
  operationId?: string;
  'x-code-samples'?: readonly CodeSample[];
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; description?: string; schema?: Schema; example?: unknown }[];
  requestBody?: { content: Record<string, Content> };
  responses?: Record<string, { content?: Record<string, Content> }>;
}
/** The parts of an OpenAPI document that `completeDocument` reads and writes. */
export interface CompletedDocument {
  paths?: Record<string, object> | undefined;
  components?: { schemas?: Record<string, unknown> | undefined } | undefined;
}

/** Example bodies by operation id. The examples of the chat routes work with the built-in provider `sandbox`. */
const examples: Readonly<Record<string, unknown>> = requestExamples;

/** Description and example of fields with the same name. Missing examples are derived from the schema. */
interface FieldText {
  readonly description: string;
  readonly example?: unknown;
}
const texts: ReadonlyMap<string, FieldText> = new Map(Object.entries(fieldTexts));

/**
 * Completes an OpenAPI document in place. A field without a description gets the standard text for its name.
 * A text for `<parent>.<name>` overrides a text for `<name>`. Request bodies and successful responses get examples, and
 * operations get code samples.
 */
export function completeDocument(document: CompletedDocument): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, schema] of Object.entries(schemas)) describe(schema, name);
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(methods) as [string, Operation][]) {
      completeOperation(operation, schemas);
      operation['x-code-samples'] = renderSamples(method.toUpperCase(), path, operation, schemas);
    }
}

/** Renders example calls with the operation's examples. Optional query parameters are omitted. */
function renderSamples(
  method: string,
  path: string,
  { parameters = [], security = [], requestBody, responses = {} }: Operation,
  schemas: Record<string, Schema>,
): readonly CodeSample[] {
  const [content] = Object.entries(requestBody?.content ?? {});
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema = {}, example }) => {
      const value = String(example ?? exampleOf(schema, '', name, schemas));
      return text.replace(`{${name}}`, encodeURIComponent(value));
    }, path);
  return renderCodeSamples({
    ...{ method, path: filled, schemes: security.flatMap((scheme) => Object.keys(scheme)) },
    body: content && { mediaType: content[0], example: content[1].example },
    isJson: Object.keys(success?.content ?? {})[0]?.endsWith('json') === true,
  });
}

function completeOperation(operation: Operation, schemas: Record<string, Schema>): void {
  for (const parameter of operation.parameters ?? []) {
    const text = texts.get(parameter.name);
    parameter.description ??= parameter.schema?.description ?? text?.description ?? '';
    if (parameter.schema !== undefined) describe(parameter.schema, parameter.name);
  }
  // The operations of aliases have the id of the primary path, with a suffix.
  const own = examples[operation.operationId?.replace(/Alias\d+$/, '') ?? ''];
  for (const content of Object.values(operation.requestBody?.content ?? {})) content.example ??= own;
  const answers = Object.entries(operation.responses ?? {});
  const successes = answers.filter(([status]) => status.startsWith('2')).map(([, answer]) => answer);
  for (const body of [operation.requestBody, ...successes]) {
    for (const [mediaType, each] of Object.entries(body?.content ?? {})) {
      if (each.schema === undefined) continue;
      describe(each.schema, '');
      const isConstant = each.schema.const !== undefined;
      each.example ??=
        isText(mediaType) && !isConstant ? textExample(mediaType) : exampleOf(each.schema, '', '', schemas);
    }
  }
}

/** Adds missing descriptions to the fields of a schema. */
function describe(schema: Schema, parent: string): void {
  nameFields(schema);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    // A reference shows the description of the referenced schema.
    if (field.$ref === undefined && field.description === undefined) {
      const text = textOf(parent, name);
      if (text !== undefined) field.description = text.description;
    }
    describe(field, name);
  }
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const inner of choices) describe(inner, parent);
  if (schema.items !== undefined) describe(schema.items, parent);
  if (typeof schema.additionalProperties === 'object') describe(schema.additionalProperties, parent);
}

/** Writes a record with fixed field names as a JSON object. */
function nameFields(schema: Schema): void {
  const { additionalProperties: value, properties, required } = schema;
  if (typeof value !== 'object' || properties !== undefined || required === undefined) return;
  schema.properties = Object.fromEntries(required.map((name) => [name, { ...value }]));
  schema.additionalProperties = false;
  delete schema.propertyNames;
}

function textOf(parent: string, name: string): FieldText | undefined {
  return texts.get(`${parent}.${name}`) ?? texts.get(name);
}

/** Whether a body is text or bytes rather than a JSON document with fields. */
function isText(mediaType: string): boolean {
  return !mediaType.endsWith('json') && mediaType !== 'multipart/form-data';
}

function textExample(mediaType: string): string {
  if (mediaType === 'text/event-stream')
    return 'data: {"object":"chat.completion.chunk"}\n\ndata: [DONE]\n\n';
  if (mediaType === 'text/html') return '<!doctype html>';
  return mediaType === 'text/csv' ? 'id,created_at\r\n' : '…';
}

/**
 * Returns an example of a schema. The schema's own example, constant or first enum value takes precedence. Without
 * such a value, the function returns the example for the field's name, or a generic value of the type.
 */
function exampleOf(schema: Schema, parent: string, name: string, schemas: Record<string, Schema>): unknown {
  if (schema.$ref !== undefined) {
    const target = schema.$ref.split('/').at(-1) ?? '';
    return exampleOf(schemas[target] ?? {}, name, target, schemas);
  }
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  const shared = textOf(parent, name)?.example;
  if (shared !== undefined && fits(shared, schema)) return shared;
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([field, inner]) => [
      field,
      exampleOf(inner, name, field, schemas),
    ]);
    return Object.fromEntries(fields) as unknown;
  }
  const [choice] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (choice !== undefined) return exampleOf(choice, parent, name, schemas);
  if (schema.default !== undefined) return schema.default;
  if (schema.items !== undefined) return [exampleOf(schema.items, parent, name, schemas)];
  return valueOf(schema);
}

/** Whether a shared example has one of the types that the schema allows. Any alternative may match. */
function fits(value: unknown, schema: Schema): boolean {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (choices.length > 0) return choices.some((choice) => fits(value, choice));
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  const types = [schema.type ?? []].flat();
  if (types.length === 0 || schema.properties !== undefined) return false;
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) {
    const { items } = schema;
    return types.includes('array') && (items === undefined || value.every((each) => fits(each, items)));
  }
  if (typeof value === 'number')
    return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(typeof value);
}

const formatExamples: Readonly<Record<string, string>> = {
  'date-time': '2026-11-23T12:00:00.000Z',
  date: '2026-11-23',
  uuid: '0198b5c0-1111-7000-8000-000000000002',
  uri: 'https://example.com/',
  email: 'ada@example.com',
};

function valueOf({ type, format, minimum }: Schema): unknown {
  const [first] = [type ?? 'object'].flat();
  if (first === 'string') return formatExamples[format ?? ''] ?? 'text';
  if (first === 'boolean') return true;
  if (first === 'number' || first === 'integer') return Math.max(minimum ?? 1, -1_000_000);
  if (first === 'array') return [];
  return first === 'null' ? null : {};
}
