import type { ClientFormat } from '@gateway/interchange';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import type { ParsedRequest } from '../../request/request.ts';
import { Conversation } from '../../request/conversation.ts';
import { buildRecovery, type RecoveryInput } from './build-recovery.ts';

/** Creates a tool with unique text in its definition. */
export interface GivenTool {
  readonly name: string;
  readonly parameters?: object;
}

export const secretOf = (name: string): string => `what ${name} alone says`;

const anything = { type: 'object', properties: {} };

function renderTool(format: ClientFormat, { name, parameters = anything }: GivenTool): object {
  const description = secretOf(name);
  if (format === 'messages') return { name, description, input_schema: parameters };
  if (format === 'converse') return { toolSpec: { name, description, inputSchema: { json: parameters } } };
  if (format === 'responses') return { type: 'function', name, description, parameters };
  return { type: 'function', function: { name, description, parameters } };
}

/** Creates a parsed request with the given tools. */
export function requestWith(
  format: ClientFormat,
  tools: readonly GivenTool[],
  messages: readonly object[] = [],
): ParsedRequest {
  const listed = tools.map((tool) => renderTool(format, tool));
  const content = format === 'converse' ? [{ text: 'Please do it.' }] : 'Please do it.';
  const body = {
    ...(format === 'converse' ? { toolConfig: { tools: listed } } : { model: 'm', tools: listed }),
    [format === 'responses' ? 'input' : 'messages']: [{ role: 'user', content }, ...messages],
  };
  const bytes = Buffer.from(JSON.stringify(body));
  const tape = scanJson(bytes, { depthMax: 128 });
  const route = { model: 'm', stream: false };
  const outline = formatNamed(format).client.outlineRequest(tape, route);
  const conversation = new Conversation(outline, bytes, null);
  return { bytes, tape, outline, conversation, ownCredential: null };
}

export function recoveryInputFor(request: ParsedRequest, given: Partial<RecoveryInput> = {}): RecoveryInput {
  const { outline, tape } = request;
  return {
    format: formatNamed(outline.format),
    tape,
    outline,
    eligible: outline.tools.map(({ index }) => index),
    forwarded: [],
    requested: [],
    mode: 'in_place',
    recall: null,
    reachesTools: true,
    rank: () => Promise.resolve(outline.tools.map(({ index }) => index)),
    ...given,
  };
}

export const recoveryFor = (request: ParsedRequest, given: Partial<RecoveryInput> = {}) =>
  buildRecovery(recoveryInputFor(request, given));
