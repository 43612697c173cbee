/**
 * Reads the recordings' raw JSON, independently of the code under test. The module `sum-stream.ts` reads streams.
 */
import type { Recording } from '@gateway/testing';
import { bodyOf } from '../check-every.ts';
import { sumStream as sumChat } from '../chat-completions/sum-stream.ts';
import { sumStream as sumConverse } from '../converse/sum-stream.ts';
import { isSpliced, sumStream as sumMessages } from '../messages/sum-stream.ts';
import {
  asList,
  asMembers,
  asNumber,
  asText,
  join,
  linksOf,
  readJson,
  type AnswerReading,
  type Members,
  type StopReading,
  type UsageReading,
} from './answer-reading.ts';

/** The expected content of a recorded response, and the names of the content that `AnswerReading` lacks. */
export interface Source {
  readonly reading: AnswerReading;
  /** Names of response content that `reading` does not contain. The names match the names in `answer-losses.ts`. */
  readonly beside: ReadonlySet<string>;
}

/**
 * Parses a recorded response. Returns null for a failed response. A failed response contains an error, is
 * incomplete, or comes from a different API.
 */
export type ReadSource = (recording: Recording) => Source | null;

export function isStreamed({ response_file: file }: Recording): boolean {
  return file !== null && /\.(?:sse|eventstream|bin|ndjson)$/.test(file);
}

export function textOf(recording: Recording): string {
  return bodyOf(recording, 'response').toString('utf8');
}

export function collect(...names: readonly (string | false | undefined)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => typeof name === 'string'));
}

export function chooseStop(words: Readonly<Record<string, StopReading>>, raw: unknown): StopReading {
  if (raw === null || raw === undefined) return 'none';
  return (typeof raw === 'string' && words[raw]) || 'unknown';
}

const chatStops: Readonly<Record<string, StopReading>> = {
  stop: 'stop',
  eos: 'stop',
  length: 'length',
  tool_calls: 'calls',
  function_call: 'calls',
  content_filter: 'filter',
  error: 'error',
};

/**
 * For a tool call that the request forced by name, OpenAI's finish reason is `stop`. For a forced call, all
 * other formats report that the model called a tool.
 */
function chooseChatStop(raw: unknown, calls: boolean): StopReading {
  const stop = chooseStop(chatStops, raw);
  return stop === 'stop' && calls ? 'calls' : stop;
}

export const readChat: ReadSource = (recording) => {
  const sum = isStreamed(recording) ? sumChat(textOf(recording)) : undefined;
  const body = sum?.body ?? asMembers(readJson(textOf(recording)));
  const choices = asList(body.choices).sort((one, other) => asNumber(one.index) - asNumber(other.index));
  // Some providers omit the stream terminator, so a response with a finish reason is also complete.
  const isEnded = sum === undefined || sum.isEnded || choices.every((choice) => choice.finish_reason);
  if (!isEnded || (sum?.errors.length ?? 0) > 0) return null;
  if (body.choices === undefined || (body.error !== undefined && body.error !== null)) return null;
  const message = asMembers(choices[0]?.message);
  const parts = asList(message.content);
  const object = asMembers(message.content);
  const isObject = Object.keys(object).length > 0;
  const listed = parts.filter(({ type }) => type === 'text').map(({ text }) => text);
  const thoughts = parts.flatMap(({ thinking }) => asList(thinking)).map(({ text }) => text);
  const calls = asList(message.tool_calls);
  return {
    reading: {
      text:
        asText(message.content) +
        (isObject ? asText(object.text) || JSON.stringify(object) : join(listed)) +
        asText(message.refusal),
      thinking: asText(message.reasoning_content ?? message.reasoning) + join(thoughts),
      calls: calls.map((call) => ({ id: asText(call.id) || null, ...readChatCall(call) })),
      reason: chooseChatStop(choices[0]?.finish_reason, calls.length > 0),
      usage: readChatUsage(asMembers(body.usage)),
      links: [],
    },
    beside: collect(
      choices.length > 1 && 'choices',
      choices.some(({ logprobs }) => logprobs !== null && logprobs !== undefined) && 'logprobs',
      asList(message.annotations).length > 0 && 'annotations',
      message.audio !== null && message.audio !== undefined && 'audio',
      parts.some(({ type }) => type !== 'text' && type !== 'thinking') && 'parts of its own',
      calls.some(({ type }) => type === 'custom') && 'calls of custom tools',
    ),
  };
};

export function readChatCall({ type, function: called, custom }: Members): { name: string; input: unknown } {
  const body = asMembers(type === 'custom' ? custom : called);
  if (type === 'custom') return { name: asText(body.name), input: { input: body.input } };
  const given = body.arguments;
  return { name: asText(body.name), input: typeof given === 'string' ? readJson(given) : (given ?? {}) };
}

function readChatUsage(usage: Members): UsageReading {
  const details = asMembers(usage.prompt_tokens_details);
  const thought = asNumber(asMembers(usage.completion_tokens_details).reasoning_tokens);
  const input = asNumber(usage.prompt_tokens);
  const completion = asNumber(usage.completion_tokens);
  // xAI includes reasoning tokens in the total tokens but not in the completion tokens.
  const isApart = thought > 0 && asNumber(usage.total_tokens) === input + completion + thought;
  return {
    input,
    output: completion + (isApart ? thought : 0),
    cached: asNumber(
      details.cached_tokens ??
        usage.prompt_cache_hit_tokens ??
        usage.cached_tokens ??
        usage.cache_read_input_tokens ??
        usage.num_cached_tokens,
    ),
    written: asNumber(details.cache_write_tokens ?? usage.cache_creation_input_tokens),
  };
}

const messagesStops: Readonly<Record<string, StopReading>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'calls',
  refusal: 'filter',
  pause_turn: 'pause',
};

const messagesParts = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

export const readMessages: ReadSource = (recording) => {
  if (isStreamed(recording) && isSpliced(textOf(recording))) return null;
  const sum = isStreamed(recording) ? sumMessages(textOf(recording)) : undefined;
  if (sum !== undefined && (sum.errors.length > 0 || !sum.isEnded)) return null;
  const body = sum?.body ?? asMembers(JSON.parse(textOf(recording)));
  const content = asList(body.content);
  const of = (type: string): Members[] => content.filter((block) => block.type === type);
  const usage = asMembers(body.usage);
  const cached = asNumber(usage.cache_read_input_tokens);
  const written = asNumber(usage.cache_creation_input_tokens);
  return {
    reading: {
      text: join(of('text').map(({ text }) => text)),
      thinking: join(of('thinking').map(({ thinking }) => thinking)),
      calls: of('tool_use').map(({ id, name, input }) => ({ id: asText(id), name: asText(name), input })),
      reason: chooseStop(messagesStops, body.stop_reason),
      usage: {
        input: asNumber(usage.input_tokens) + cached + written,
        output: asNumber(usage.output_tokens),
        cached,
        written,
      },
      links: linksOf(
        of('text').flatMap(({ citations }) => asList(citations).map(({ url, source }) => url ?? source)),
      ),
    },
    beside: collect(
      of('redacted_thinking').length > 0 && 'redacted thinking',
      of('text').some(({ citations }) => asList(citations).length > 0) && 'citations',
      content.some(({ type }) => !messagesParts.has(asText(type))) && 'parts of its own',
    ),
  };
};

const converseStops: Readonly<Record<string, StopReading>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'calls',
  content_filtered: 'filter',
  guardrail_intervened: 'filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};

const converseParts = new Set(['text', 'toolUse', 'reasoningContent', 'citationsContent']);

export const readConverse: ReadSource = (recording) => {
  const sum = isStreamed(recording) ? sumConverse(bodyOf(recording, 'response')) : undefined;
  if (sum !== undefined && (sum.exceptions.length > 0 || !sum.isStopped)) return null;
  const body = sum?.body ?? asMembers(JSON.parse(textOf(recording)));
  if (body.output === undefined) return null;
  const content = asList(asMembers(asMembers(body.output).message).content);
  const usage = asMembers(body.usage);
  const cached = asNumber(usage.cacheReadInputTokens);
  const written = asNumber(usage.cacheWriteInputTokens);
  const cited = (block: Members): Members[] => asList(asMembers(block.citationsContent).content);
  return {
    reading: {
      text: join(content.flatMap((block) => [block.text, ...cited(block).map(({ text }) => text)])),
      thinking: join(content.map((block) => asMembers(asMembers(block.reasoningContent).reasoningText).text)),
      calls: content
        .filter(({ toolUse }) => toolUse !== undefined)
        .map(({ toolUse }) => asMembers(toolUse))
        .filter(({ type }) => type !== 'server_tool_use')
        .map(({ toolUseId, name, input }) => ({ id: asText(toolUseId), name: asText(name), input })),
      reason: chooseStop(converseStops, body.stopReason),
      usage: {
        input: asNumber(usage.inputTokens) + cached + written,
        output: asNumber(usage.outputTokens),
        cached,
        written,
      },
      links: linksOf(
        content
          .flatMap(({ citationsContent }) => asList(asMembers(citationsContent).citations))
          .map(({ location }) => asMembers(asMembers(location).web).url),
      ),
    },
    beside: collect(
      content.some(({ reasoningContent }) => asMembers(reasoningContent).redactedContent !== undefined) &&
        'redacted thinking',
      content.some(({ citationsContent }) => citationsContent !== undefined) && 'citations',
      content.some(isConverseOwn) && 'parts of its own',
    ),
  };
};

/**
 * Returns true for server-side tool calls and results, and for all other blocks that only Converse
 * has.
 */
function isConverseOwn(block: Members): boolean {
  const isKnown = Object.keys(block).some((name) => converseParts.has(name));
  return !isKnown || asMembers(block.toolUse).type === 'server_tool_use';
}
