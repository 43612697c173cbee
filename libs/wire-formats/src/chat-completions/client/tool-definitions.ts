import { hash } from 'node:crypto';
import type { ToolDescription, ToolSource } from '@gateway/interchange';
import type { JsonNode } from '../json/json-node.ts';
import type { JsonTape } from '../json/json-tape.ts';
import { examplesField } from './extension-fields.ts';
import { findBody, readName } from './tool-shape.ts';

/** The tools of a request, each read when asked for. */
export function toolDefinitions(tape: JsonTape): ToolSource[] {
  const tools = tape.get(tape.root, 'tools');
  if (tools === undefined) return [];
  return tape.items(tools).map((node, index) => {
    const bytes = tape.bytes.subarray(tape.start(node), tape.end(node));
    return {
      index,
      hash: () => hash('sha256', bytes),
      text: () => bytes.toString('utf8'),
      describe: () => describeTool(tape, node),
    };
  });
}

function describeTool(tape: JsonTape, node: JsonNode): ToolDescription {
  const body = findBody(tape, node) ?? node;
  const parameters = tape.get(body, 'parameters');
  return {
    name: readName(tape, node) ?? null,
    description: tape.stringValue(tape.get(body, 'description')) ?? '',
    parameters: parameters === undefined ? null : tape.value(parameters),
    examples: readExamples(tape, tape.get(body, examplesField) ?? tape.get(node, examplesField)),
  };
}

/** Examples are texts; anything else among them is passed over. */
function readExamples(tape: JsonTape, node: JsonNode | undefined): string[] {
  return node === undefined ? [] : tape.items(node).flatMap((item) => tape.stringValue(item) ?? []);
}
