import { createHash } from 'node:crypto';
import { unqualifyTool } from '@gateway/interchange';
import type {
  ChatMessage,
  ChatPart,
  ChatRequest,
  ChatTool,
  StreamEvent,
  ToolChoice,
} from '@gateway/interchange';
import { crc32 } from 'node:zlib';
import type { ProviderHalf } from './format.ts';

/** Maps the tool names sent to the provider back to the client's names. */
export type UpstreamToolNames = ReadonlyMap<string, string>;

/** Maximum length of replacement names. All formats accept tool names of this length. */
const nameCharactersMax = 64;
const markCharacters = 8;

/**
 * Replaces tool names that the provider rejects, everywhere in the request. A tool name has the same
 * replacement in every turn of a conversation. `meant` maps the replacements to the client's names. Returns
 * null if the provider accepts all names.
 * @param pattern matches every complete name that the provider accepts
 */
export function nameTools(
  request: ChatRequest,
  pattern: RegExp,
): { readonly request: ChatRequest; readonly meant: UpstreamToolNames | null } {
  const names = namesIn(request);
  const rejected = [...names].filter((name) => !pattern.test(name));
  if (rejected.length === 0) return { request, meant: null };
  const replacements = new Map<string, string>();
  const meant = new Map<string, string>();
  for (const name of rejected) {
    const short = chooseName(name, (taken) => names.has(taken) || meant.has(taken));
    replacements.set(name, short);
    meant.set(short, name);
  }
  const rename = (name: string): string => replacements.get(name) ?? name;
  return {
    request: {
      ...request,
      tools: request.tools.map((tool) => renameTool(tool, rename)),
      toolChoice: renameChoice(request.toolChoice, rename),
      messages: request.messages.map((message) => renameCalls(message, rename)),
    },
    meant,
  };
}

/**
 * Wraps the provider side of a format, so that tool calls in responses have the client's tool names. Only the
 * Responses API has namespaces, so a client of another format receives the name without the namespace.
 */
export function restoreToolNames(
  provider: ProviderHalf,
  meantNow: () => UpstreamToolNames | null,
): ProviderHalf {
  const restore = (events: StreamEvent[]): StreamEvent[] => {
    // Most chunks of a stream contain only text or arguments.
    if (!events.some(({ type }) => type === 'tool-call-start')) return events;
    const meant = meantNow();
    return events.map((event) => {
      if (event.type !== 'tool-call-start') return event;
      const name = unqualifyTool(event);
      return { ...event, name: meant?.get(name) ?? name };
    });
  };
  return mapEvents(provider, () => restore);
}

/**
 * Wraps the provider side of a format, so that a mapping function changes the events of each response.
 * @param open returns the mapping function for one response. The function may keep state between calls.
 */
export function mapEvents(
  provider: ProviderHalf,
  open: () => (events: StreamEvent[]) => StreamEvent[],
): ProviderHalf {
  return {
    ...provider,
    parseResponse: (bytes) => open()(provider.parseResponse(bytes)),
    openStreamParser: () => {
      const parser = provider.openStreamParser();
      const map = open();
      return {
        push: (chunk) => map(parser.push(chunk)),
        end: () => map(parser.end()),
        get failure() {
          return parser.failure;
        },
      };
    },
  };
}

function namesIn({ tools, toolChoice, messages }: ChatRequest): Set<string> {
  const names = new Set(tools.flatMap((tool) => (tool.kind === 'built-in' ? [] : [tool.name])));
  if (toolChoice.mode === 'tool') names.add(toolChoice.name);
  if (toolChoice.mode === 'allowed') for (const name of toolChoice.names) names.add(name);
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-call') names.add(part.name);
  }
  return names;
}

/**
 * Builds a replacement name from the start of the tool name and a hash. The hash distinguishes tool names
 * that have the same start.
 */
function chooseName(name: string, isTaken: (name: string) => boolean): string {
  const plain = name.replaceAll(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  for (let salt = 0; ; salt += 1) {
    const mark = createHash('sha256').update(`${name} ${salt}`).digest('hex').slice(0, markCharacters);
    const chosen = `${plain.slice(0, nameCharactersMax - markCharacters - 1)}_${mark}`;
    if (!isTaken(chosen)) return chosen;
  }
}

type Rename = (name: string) => string;

function renameTool(tool: ChatTool, rename: Rename): ChatTool {
  return tool.kind === 'built-in' ? tool : { ...tool, name: rename(tool.name) };
}

function renameChoice(choice: ToolChoice, rename: Rename): ToolChoice {
  if (choice.mode === 'tool') return { ...choice, name: rename(choice.name) };
  return choice.mode === 'allowed' ? { ...choice, names: choice.names.map(rename) } : choice;
}

function renameCalls(message: ChatMessage, rename: Rename): ChatMessage {
  if (!message.parts.some(({ type }) => type === 'tool-call')) return message;
  const renamed = (part: ChatPart): ChatPart =>
    part.type === 'tool-call' ? { ...part, name: rename(part.name) } : part;
  return { ...message, parts: message.parts.map(renamed) };
}

/**
 * Maps a tool call id to an id that the provider accepts, because ids from other providers may contain other
 * characters. The same input always returns the same id.
 * @param pattern matches a complete id that the provider accepts. The pattern must accept letters, digits,
 * `_` and `-`.
 */
export function mapToolId(id: string, pattern: RegExp, charactersMax = Infinity): string {
  if (pattern.test(id)) return id;
  const mark = `_${crc32(id).toString(36)}`;
  return id.replaceAll(/[^\w-]/g, '_').slice(0, charactersMax - mark.length) + mark;
}

/** Returns the names of the custom tools. */
export function listCustom(tools: readonly ChatTool[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.kind === 'custom' ? [tool.name] : [])));
}
