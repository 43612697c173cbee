import type { ChatMessage, ChatPart, JsonObject, Loss, ToolResultPart } from '@gateway/interchange';
import { asObject } from '../../json/read-members.ts';
import { mapToolId } from '../../common/tool-names.ts';
import { renderCacheControl, own } from '../shared/own-members.ts';
import { readSpelled, renderBlock } from '../shared/blocks.ts';
import { findPartLoss } from './part-losses.ts';

export interface RenderContext {
  readonly version: string;
  readonly losses: Loss[];
  /** Whether the model accepts system messages after user messages. */
  readonly takesSystemTurns: boolean;
}

/** A rendered message, before adjacent messages with the same role are merged. */
interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly JsonObject[];
  readonly isListed: boolean;
  readonly members: JsonObject;
}

/**
 * A group of adjacent messages with the same role. Messages are appended in place, because copying the list
 * for each message would take quadratic time.
 */
interface JoinedTurn {
  readonly role: Turn['role'];
  readonly blocks: JsonObject[];
  isListed: boolean;
  readonly members: Record<string, unknown>;
}

/**
 * Renders the fields `system` and `messages`. If the model does not accept system messages within the
 * conversation, system messages move to the front. For other models, a system message is sent directly before
 * the model's next turn, so the prompt's prefix does not change. Tool results become user messages. Adjacent
 * messages with the same role are merged, so that one message holds all results of a turn.
 */
export function renderConversation(messages: readonly ChatMessage[], context: RenderContext): JsonObject {
  const system: Turn[] = [];
  const turns = new RenderedTurns();
  messages.forEach((message, index) => {
    const raw = own.read(message).message;
    const turn = renderMessage(message, `messages[${index}]`, context);
    if (raw !== undefined) {
      turns.addRaw(raw as JsonObject);
    } else if (turn === undefined) {
      return;
    } else if (!isSystemPrompt(message)) {
      turns.add(turn);
    } else if (!turns.isEmpty && context.takesSystemTurns) {
      turns.addSystem(turn);
    } else {
      if (!turns.isEmpty) losePlace(index, context.losses);
      system.push(turn);
    }
  });
  const rendered = turns.end();
  if (rendered.length > 0 || system.length === 0) return { ...renderSystem(system), messages: rendered };
  // A conversation with only system messages is invalid, so its system messages become a user message.
  losePlace(0, context.losses);
  return { messages: [renderTurn({ ...joinTurns(system), role: 'user' })] };
}

/** The rendered messages. Adjacent messages with the same role are merged. */
class RenderedTurns {
  readonly #rendered: JsonObject[] = [];
  readonly #system: Turn[] = [];
  #last: JoinedTurn | undefined;

  get isEmpty(): boolean {
    return this.#last === undefined && this.#rendered.length === 0;
  }

  add(turn: Turn): void {
    if (turn.role === 'assistant') this.#placeSystem();
    if (this.#last?.role === turn.role) return addTurn(this.#last, turn);
    this.#flush();
    this.#last = joinTurns([turn]);
  }

  addRaw(raw: JsonObject): void {
    this.#placeSystem();
    this.#flush();
    this.#rendered.push(raw);
  }

  /** Adds a system message. The message is sent directly before the model's next message. */
  addSystem(turn: Turn): void {
    this.#system.push(turn);
  }

  end(): JsonObject[] {
    this.#placeSystem();
    this.#flush();
    return this.#rendered;
  }

  #placeSystem(): void {
    if (this.#system.length === 0) return;
    // Anthropic's API rejects a system message directly after a model message.
    const role = this.#last?.role === 'user' ? 'system' : 'user';
    this.#flush();
    this.#last = { ...joinTurns(this.#system.splice(0)), role };
  }

  #flush(): void {
    if (this.#last !== undefined) this.#rendered.push(renderTurn(this.#last));
    this.#last = undefined;
  }
}

/** Whether a message is moved to the top-level system prompt. */
function isSystemPrompt(message: ChatMessage): boolean {
  return message.role === 'system' && asObject(own.read(message).spelling)?.place !== 'conversation';
}

function losePlace(index: number, losses: Loss[]): void {
  losses.push({
    field: `messages[${index}].role`,
    reason: 'the format has system messages only before the conversation',
  });
}

function renderSystem(turns: readonly Turn[]): JsonObject {
  if (turns.length === 0) return {};
  const joined = joinTurns(turns);
  return { system: renderContent(joined.blocks, joined.isListed) };
}

/** Renders a message. Returns undefined if the messages format can express none of the message's parts. */
function renderMessage(message: ChatMessage, field: string, context: RenderContext): Turn | undefined {
  const { spelling, ...members } = own.read(message);
  const spelled = asObject(spelling) ?? {};
  const isListed = spelled.content === 'list';
  const role = message.role === 'tool' ? 'user' : message.role;
  const parts = isListed ? message.parts : message.parts.filter((part) => !isBlankText(part, message));
  const blocks = parts.flatMap((part) => renderPart(part, message, field, context));
  if (message.parts.length > 0 && blocks.length === 0) return undefined;
  return {
    role,
    blocks,
    isListed,
    members: typeof spelled.role === 'string' ? { ...members, role: spelled.role } : members,
  };
}

/** Many providers send blank text blocks next to tool calls. Anthropic rejects blank text blocks. */
function isBlankText(part: ChatPart, message: ChatMessage): boolean {
  return part.type === 'text' && part.text.trim() === '' && message.parts.length > 1;
}

function renderPart(
  part: ChatPart,
  message: ChatMessage,
  field: string,
  context: RenderContext,
): JsonObject[] {
  const loss = findPartLoss(part, message.role, context.version);
  if (loss !== undefined) context.losses.push({ field: `${field}.${part.type}`, reason: loss.reason });
  if (loss?.isWhole === true) return [];
  if (part.type === 'tool-result') return [renderToolResult(part, message, field, context)];
  const block = renderBlock(loss?.instead ?? part);
  if (block === undefined) return [];
  return [part.type === 'tool-call' ? renderCall(block, part.id) : block];
}

/** Anthropic accepts letters, digits, `_` and `-` in tool call ids. */
const renderCallId = (id: string): string => mapToolId(id, /^[\w-]+$/);

/** Renders a tool call block, with an id that Anthropic accepts. */
function renderCall(block: JsonObject, id: string): JsonObject {
  return { ...block, id: renderCallId(id) };
}

function renderToolResult(
  result: ToolResultPart,
  message: ChatMessage,
  field: string,
  context: RenderContext,
): JsonObject {
  const { rest, spelling } = readSpelled(result);
  const blocks = result.parts
    .filter((part) => part.type !== 'text' || part.text !== '' || spelling.content === 'list')
    .flatMap((part) => renderPart(part, { ...message, role: 'tool' }, field, context));
  return {
    ...rest,
    type: 'tool_result',
    tool_use_id: renderCallId(result.callId),
    ...(result.parts.length === 0 && spelling.content !== 'list'
      ? {}
      : { content: renderContent(blocks, spelling.content === 'list') }),
    ...(result.isError === undefined ? {} : { is_error: result.isError }),
    ...renderCacheControl(result.cacheMarker),
  };
}

function joinTurns(turns: readonly Turn[]): JoinedTurn {
  const joined = { role: turns[0]?.role ?? 'user', blocks: [], isListed: false, members: {} };
  for (const turn of turns) addTurn(joined, turn);
  return joined;
}

function addTurn(joined: JoinedTurn, { blocks, isListed, members }: Turn): void {
  for (const block of blocks) joined.blocks.push(block);
  joined.isListed ||= isListed;
  Object.assign(joined.members, members);
}

function renderTurn({ role, blocks, isListed, members }: Turn): JsonObject {
  return { role, content: renderContent(blocks, isListed), ...members };
}

/** Renders a single plain text part as a string. A list from the client stays a list. */
function renderContent(blocks: readonly JsonObject[], isListed: boolean): string | readonly JsonObject[] {
  const [only] = blocks;
  const isPlain = only?.type === 'text' && Object.keys(only).length === 2 && typeof only.text === 'string';
  if (!isListed && blocks.length === 0) return '';
  return !isListed && blocks.length === 1 && isPlain ? (only.text as string) : blocks;
}
