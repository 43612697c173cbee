/**
 * A test provider with a prompt cache, in each client format. The prompt cache follows the rules in the
 * providers' documentation.
 */
import type { PlannedFormat, JsonObject } from '@gateway/interchange';
import type { ChooseControls } from '@gateway/testing';

/** One request's prompt tokens, and the number of tokens that the provider read from its prompt cache. */
export interface CacheUse {
  readonly total: number;
  readonly read: number;
  /**
   * The number of tokens in the previous request's prefix that the provider did not read from its cache. This
   * number is 0 for the first request of a conversation.
   */
  readonly missed: number;
}

/** A cached prompt. */
interface Entry {
  readonly model: string;
  readonly parts: readonly string[];
  /** The lengths of the cacheable prefixes, counted in prompt parts. */
  readonly ends: readonly number[];
}

const json = { 'content-type': 'application/json' };
const blockTokens = 128;
const outputTokens = 5;

/**
 * Stores the prompts of each conversation. The first message of a conversation contains the conversation's
 * number (`conversation 17`).
 */
export class PromptCache {
  readonly #entries = new Map<string, Entry[]>();
  readonly #uses = new Map<string, CacheUse[]>();

  /** Removes a conversation's prompts from the cache, as providers do with unused prompts. */
  evict(conversation: string): void {
    this.#entries.get(conversation)?.splice(0);
  }

  /** Returns the prompt cache usage of each request in a conversation, in order. */
  usesOf(conversation: string): readonly CacheUse[] {
    return this.#uses.get(conversation) ?? [];
  }

  readonly answer: ChooseControls = ({ url, body }) => {
    const format = url.includes('/converse')
      ? 'converse'
      : url.endsWith('/messages')
        ? 'messages'
        : 'chat-completions';
    const request = JSON.parse(body.toString('utf8')) as JsonObject;
    const model = format === 'converse' ? (url.split('/')[2] ?? '') : String(request.model);
    const use = this.#use(format, model, request);
    return { status: 200, headers: json, body: answers[format](use) };
  };

  #use(format: PlannedFormat, model: string, request: JsonObject): CacheUse {
    const [tools, system, messages] = prompts[format](request).map((parts) =>
      parts.map(withoutMarkers).filter(isPart),
    );
    const parts = [tools, system, messages].flatMap((each) => each ?? []);
    const conversation = /conversation (\d+)/.exec(parts.join())?.[1] ?? '';
    const [toolsEnd, systemEnd] = [tools?.length ?? 0, (tools?.length ?? 0) + (system?.length ?? 0)];
    const isExplicit = format !== 'chat-completions';
    const ends = isExplicit ? [toolsEnd, systemEnd, parts.length] : parts.map((_, at) => at + 1);
    const entries = listAt(this.#entries, conversation);
    const round = (tokens: number) => (isExplicit ? tokens : tokens - (tokens % blockTokens));
    const read = round(
      Math.max(0, ...entries.map((entry) => (entry.model === model ? countShared(entry, parts) : 0))),
    );
    const uses = listAt(this.#uses, conversation);
    const total = countTokens(parts);
    const left = Math.min(round(uses.at(-1)?.total ?? 0), total);
    const use = { total, read, missed: Math.max(0, left - read) };
    entries.push({ model, parts, ends });
    uses.push(use);
    return use;
  }
}

/**
 * Returns the token count of the longest cacheable prefix that a prompt shares with an earlier prompt.
 */
function countShared({ parts: earlier, ends }: Entry, parts: readonly string[]): number {
  const differs = earlier.findIndex((part, at) => part !== parts[at]);
  const shared = differs < 0 ? earlier.length : differs;
  return countTokens(parts.slice(0, Math.max(0, ...ends.filter((end) => end <= shared))));
}

function countTokens(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Math.ceil(part.length / 4), 0);
}

type Parts = readonly unknown[];
const listOf = (value: unknown): Parts => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** Returns the tools, instructions and messages of a request's prompt. */
const prompts: Readonly<Record<PlannedFormat, (request: JsonObject) => readonly [Parts, Parts, Parts]>> = {
  'chat-completions': ({ tools, messages }) => [listOf(tools), [], listOf(messages)],
  messages: ({ tools, system, messages }) => [listOf(tools), listOf(system), listOf(messages)],
  converse: ({ toolConfig, system, messages }) => [
    listOf((toolConfig as { tools?: unknown } | undefined)?.tools),
    listOf(system),
    listOf(messages),
  ],
};

function withoutMarkers(part: unknown): string {
  const text = JSON.stringify(part, (key, value: unknown) => {
    if (key === 'cache_control') return undefined;
    return Array.isArray(value) ? value.filter((each) => !isCachePoint(each)) : value;
  });
  return isCachePoint(part) ? '' : text;
}

function isCachePoint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'cachePoint' in value;
}

function isPart(text: string): boolean {
  return text !== '';
}

const answers: Readonly<Record<PlannedFormat, (use: CacheUse) => object>> = {
  'chat-completions': ({ total, read }) => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
    usage: {
      ...{ prompt_tokens: total, completion_tokens: outputTokens, total_tokens: total + outputTokens },
      prompt_tokens_details: { cached_tokens: read },
    },
  }),
  messages: ({ total, read }) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Done.' }],
    usage: {
      ...{ input_tokens: 0, cache_creation_input_tokens: total - read, cache_read_input_tokens: read },
      output_tokens: outputTokens,
    },
  }),
  converse: ({ total, read }) => ({
    metrics: { latencyMs: 1 },
    output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
    stopReason: 'end_turn',
    usage: {
      ...{ inputTokens: 0, cacheReadInputTokens: read, cacheWriteInputTokens: total - read },
      ...{ outputTokens, totalTokens: total + outputTokens },
    },
  }),
};

function listAt<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
