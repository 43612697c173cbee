import { fillArguments } from '../arguments/fill-arguments.ts';
import { readText, type ChatRequest, type OfferedTool } from './chat-request.ts';
import { chooseTool } from './choose-tool.ts';

/**
 * The model's response, which is either text or one tool call. The input of a function is its arguments as
 * JSON, and the input of a custom tool is a text.
 */
export type Answer =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | {
      readonly kind: 'tool-call';
      readonly tool: OfferedTool['kind'];
      readonly name: string;
      readonly input: string;
    };

/** Maximum number of characters of a message or tool result that the response repeats. */
const echoCharsMax = 400;

/**
 * Chooses a response. The response summarizes a tool result, calls a matching tool, or repeats the last user
 * message. If the request has a schema, a text response is JSON with values from the last user message.
 */
export function chooseAnswer(request: ChatRequest): Answer {
  const last = request.messages.at(-1);
  const isResult = last?.role === 'tool' || last?.role === 'function';
  if (isResult && typeof request.toolChoice === 'string' && request.toolChoice !== 'required') {
    return sayWithin(request, sumUp(request));
  }
  const question = lastUserText(request);
  const tool = toolFor(request, question);
  if (tool !== undefined) {
    const { kind, name, parameters } = tool;
    const input = kind === 'custom' ? clip(question) : JSON.stringify(fillArguments(parameters, question));
    return { kind: 'tool-call', tool: kind, name, input };
  }
  const said = clip(question);
  return sayWithin(request, said === '' ? 'The sandbox heard nothing.' : `The sandbox heard: ${said}`);
}

function toolFor({ tools, toolChoice }: ChatRequest, question: string): OfferedTool | undefined {
  if (toolChoice === 'none') return undefined;
  if (typeof toolChoice === 'object') return tools.find(({ name }) => name === toolChoice.name);
  return chooseTool(tools, question) ?? (toolChoice === 'required' ? tools[0] : undefined);
}

function lastUserText({ messages }: ChatRequest): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message === undefined ? '' : readText(message);
}

/** Lists every tool result since the last tool call, oldest first. */
function sumUp({ messages }: ChatRequest): string {
  const from = messages.findLastIndex(({ role }) => role !== 'tool' && role !== 'function') + 1;
  const names = new Map(
    messages.flatMap(({ tool_calls: calls }) =>
      (calls ?? []).map((call) => [call.id, (call.function ?? call.custom)?.name]),
    ),
  );
  return messages
    .slice(from)
    .map((message) => {
      const name = names.get(message.tool_call_id ?? '') ?? message.name ?? 'the tool';
      return `The result of ${name} is: ${clip(readText(message)) || 'nothing'}`;
    })
    .join('\n');
}

function clip(text: string): string {
  const trimmed = text.trim();
  const characters = Array.from(trimmed.slice(0, echoCharsMax * 2 + 2));
  return characters.length <= echoCharsMax ? trimmed : `${characters.slice(0, echoCharsMax).join('')}…`;
}

/** Estimates one token for every four bytes, in the same way as for token usage. */
function sayWithin(request: ChatRequest, said: string): Answer {
  const { schema, tokensMax } = request;
  const text = schema === null ? said : JSON.stringify(fillArguments(schema, lastUserText(request)));
  if (tokensMax === null || Buffer.byteLength(text) <= tokensMax * 4)
    return { kind: 'text', text, isCut: false };
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut + character) > tokensMax * 4) break;
    cut += character;
  }
  return { kind: 'text', text: cut, isCut: true };
}
