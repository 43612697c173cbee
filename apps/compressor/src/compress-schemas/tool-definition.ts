import type { JsonEntry, JsonNode, JsonTape } from '@gateway/wire-formats';

/** A tool definition as text, and where its parts lie. */
export interface ToolDefinitionText {
  readonly tape: JsonTape;
  /** The object that has name, description and schema. */
  readonly body: JsonNode;
  readonly name: string;
  /** The JSON Schema of the arguments, if there is one. */
  readonly schema: JsonNode | undefined;
  /** Whether only the schema may change: `x-svc-examples` beside it is cut out elsewhere, with the bytes around it. */
  readonly isSchemaOnly: boolean;
}

const examplesField = 'x-svc-examples';
const cacheMarkers = ['cache_control', 'cachePoint'];

/**
 * Finds the parts of a definition in one of three forms: chat-completions (`function.parameters`), messages
 * (`input_schema`), converse (`toolSpec.inputSchema.json`). Undefined for anything else, such as built-in tools, and for
 * a definition with the client's cache marker: those stay as they are.
 */
export function findDefinition(tape: JsonTape): ToolDefinitionText | undefined {
  const { root } = tape;
  if (cacheMarkers.some((marker) => tape.get(root, marker) !== undefined)) return undefined;
  const body = tape.get(root, 'function') ?? tape.get(root, 'toolSpec') ?? root;
  const members = readMembers(tape, body);
  const name = tape.stringValue(members?.get('name')?.value);
  if (members === undefined || name === undefined) return undefined;
  const inputSchema = members.get('inputSchema')?.value;
  const schema =
    inputSchema === undefined
      ? (members.get('parameters') ?? members.get('input_schema'))?.value
      : tape.get(inputSchema, 'json');
  const isBuiltIn = body === root && members.get('input_schema') === undefined;
  if (isBuiltIn) return undefined;
  return {
    tape,
    body,
    name,
    schema,
    isSchemaOnly: members.has(examplesField) || tape.get(root, examplesField) !== undefined,
  };
}

/** The members of an object by key; undefined where a key is repeated (what such an object means differs between readers) or it is no object. */
export function readMembers(tape: JsonTape, node: JsonNode): Map<string, JsonEntry> | undefined {
  if (tape.kind(node) !== 'object') return undefined;
  const members = new Map<string, JsonEntry>();
  for (const entry of tape.entries(node)) {
    const key = tape.stringValue(entry.key) ?? '';
    if (members.has(key)) return undefined;
    members.set(key, entry);
  }
  return members;
}
