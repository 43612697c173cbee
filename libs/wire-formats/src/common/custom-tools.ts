import type { ChatMessage, ChatPart, ChatRequest, ChatTool, Loss, StreamEvent } from '@gateway/interchange';
import { parseExactJson } from '../json/parse-json.ts';
import { asObject, asText } from '../json/read-members.ts';
import type { ProviderHalf } from './format.ts';
import { listCustom, mapEvents } from './tool-names.ts';
import { addWaitingCharacters } from './waiting-characters.ts';

/** Name of the only parameter of a function that replaces a custom tool. */
const parameter = 'input';

/**
 * Replaces each custom tool with a function that has one text parameter, because the provider accepts only
 * functions. Without custom tools, returns the request unchanged. A provider cannot enforce the grammar of a
 * custom tool, so the grammar is reported as a loss. The grammar also becomes part of the parameter's
 * description.
 */
export function wrapCustomTools(request: ChatRequest): {
  readonly request: ChatRequest;
  readonly losses: readonly Loss[];
} {
  const losses = request.tools.flatMap((tool, index): Loss[] =>
    tool.kind === 'custom' && tool.grammar !== undefined
      ? [{ field: `tools[${index}].grammar`, reason: 'the provider cannot enforce grammars of tools' }]
      : [],
  );
  const tools = request.tools.map(wrapTool);
  return { request: { ...request, tools, messages: request.messages.map(wrapCalls) }, losses };
}

function wrapTool(tool: ChatTool): ChatTool {
  if (tool.kind !== 'custom') return tool;
  const { grammar, ...rest } = tool;
  const description =
    grammar === undefined
      ? 'The whole input of the tool, as text.'
      : `The whole input of the tool, as text that matches this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const properties = { [parameter]: { type: 'string', description } };
  const parameters = { type: 'object', properties, required: [parameter], additionalProperties: false };
  return { ...rest, kind: 'function', parameters };
}

function wrapCalls(message: ChatMessage): ChatMessage {
  const isCustom = (part: ChatPart): boolean => part.type === 'tool-call' && part.kind === 'custom';
  if (!message.parts.some(isCustom)) return message;
  const wrap = (part: ChatPart): ChatPart =>
    part.type === 'tool-call' && part.kind === 'custom'
      ? { ...part, kind: 'function', argumentsText: JSON.stringify({ [parameter]: part.argumentsText }) }
      : part;
  return { ...message, parts: message.parts.map(wrap) };
}

/**
 * Wraps the provider side of a format. Calls to a replacement function become calls to the custom tool again.
 * The complete input of a call is emitted as one delta when the call ends. Models sometimes send arguments
 * that are not a JSON object with the text parameter. Such arguments become the input of the custom tool
 * unchanged.
 * @param customNow returns the names of the client's custom tools
 */
export function restoreCustomCalls(
  provider: ProviderHalf,
  customNow: () => ReadonlySet<string> | null,
): ProviderHalf {
  return mapEvents(provider, () => {
    const calls = new CustomCalls(customNow);
    return (events) => calls.restore(events);
  });
}

/** The calls to custom tools in one response. */
class CustomCalls {
  readonly #customNow: () => ReadonlySet<string> | null;
  /** The arguments received so far for each open call, by the position of the call. */
  readonly #open = new Map<string, string[]>();
  #waitingCharacters = 0;

  constructor(customNow: () => ReadonlySet<string> | null) {
    this.#customNow = customNow;
  }

  restore(events: StreamEvent[]): StreamEvent[] {
    const custom = this.#customNow();
    return custom === null ? events : events.flatMap((event) => this.#restore(event, custom));
  }

  #restore(event: StreamEvent, custom: ReadonlySet<string>): StreamEvent[] {
    if (event.type === 'tool-call-start') {
      if (event.kind === 'custom' || !custom.has(event.name)) return [event];
      this.#open.set(placeOf(event), []);
      return [{ ...event, kind: 'custom' }];
    }
    if (event.type !== 'tool-call-delta' && event.type !== 'tool-call-end') return [event];
    const pieces = this.#open.get(placeOf(event));
    if (pieces === undefined) return [event];
    if (event.type === 'tool-call-delta') {
      this.#waitingCharacters = addWaitingCharacters(this.#waitingCharacters, event);
      pieces.push(event.argumentsText);
      return [];
    }
    this.#open.delete(placeOf(event));
    if (this.#open.size === 0) this.#waitingCharacters = 0;
    const { choice, block } = event;
    return [{ type: 'tool-call-delta', choice, block, argumentsText: unwrapInput(pieces.join('')) }, event];
  }
}

function placeOf({ choice, block }: { readonly choice: number; readonly block: number }): string {
  return `${choice} ${block}`;
}

function unwrapInput(argumentsText: string): string {
  try {
    const input = asText(asObject(parseExactJson(argumentsText))?.[parameter]);
    return input ?? argumentsText;
  } catch {
    return argumentsText;
  }
}

/** Returns the names of a request's custom tools. Returns null if the request has no custom tools. */
export function findCustomTools({ tools }: ChatRequest): ReadonlySet<string> | null {
  const names = listCustom(tools);
  return names.size === 0 ? null : names;
}
