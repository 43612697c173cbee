import {
  foldAnswer,
  qualifyTool,
  type ClientFormat,
  type Extensions,
  type FinishReason,
  type StreamEvent,
} from '@gateway/interchange';
import type { IssuedReasoning, ReplayControls, ReplayProvider, TranscriptRules } from '@gateway/testing';
import { formatNamed } from '@gateway/wire-formats';

/** A tool call by the model. Only the Responses API has namespaces. */
interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly arguments: unknown;
}

/** The content of one model response. */
export interface ModelTurn {
  /**
   * Reasoning at the start of the response, either as text with the provider's signature or as redacted
   * reasoning. Reasoning requires a provider that checks transcripts (`TranscriptRules`).
   */
  readonly thinking?: readonly (string | { readonly redacted: string })[];
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Number of input tokens that the provider read from its prompt cache. */
  readonly cachedInputTokens?: number;
  /** Whether the response lacks token usage. */
  readonly isUnmetered?: boolean;
  /** The stop reason of the response. By default, the stop reason is a tool call or a completed response. */
  readonly ends?: 'length';
  /** Whether the stream ends with an error event instead of its terminator. */
  readonly breaks?: boolean;
  /** Options that control how the replay provider sends the response, such as a delay. */
  readonly sending?: ReplayControls;
}

const rawReasons: { readonly [Format in ClientFormat]: { calls: string; stop: string; length: string } } = {
  'chat-completions': { calls: 'tool_calls', stop: 'stop', length: 'length' },
  messages: { calls: 'tool_use', stop: 'end_turn', length: 'max_tokens' },
  converse: { calls: 'tool_use', stop: 'end_turn', length: 'max_tokens' },
  responses: { calls: 'completed', stop: 'completed', length: 'max_output_tokens' },
};

/**
 * Makes a provider return the given turns in order, one per request, in the format of the request. If `rules`
 * are given, the provider rejects the requests that the real provider would reject.
 */
export function scriptModel(
  provider: ReplayProvider,
  turns: readonly (ModelTurn | ReplayControls)[],
  rules?: TranscriptRules,
): void {
  const left = [...turns];
  provider.setControls(({ url, body }) => {
    const format = formatOf(url);
    // The provider checks no transcript rules for requests in the Responses format.
    const violation =
      format === 'responses' ? undefined : rules?.check(format, JSON.parse(body.toString('utf8')));
    if (violation !== undefined) return refusalOf(format, violation);
    const turn = left.shift();
    if (turn === undefined)
      return { status: 500, body: { error: { message: 'all scripted turns are used up' } } };
    return renderAnswer(turn, { url, body }, rules);
  });
}

/** Renders a turn as the response to a request. A turn that already consists of replay options stays unchanged. */
export function renderAnswer(
  turn: ModelTurn | ReplayControls,
  { url, body }: { readonly url: string; readonly body: Buffer },
  rules?: TranscriptRules,
): ReplayControls {
  return 'status' in turn || 'hang' in turn ? turn : answerOf(turn as ModelTurn, url, body, rules);
}

const json = { 'content-type': 'application/json' };

function refusalOf(format: ClientFormat, message: string): ReplayControls {
  if (format === 'converse')
    return {
      status: 400,
      headers: { ...json, 'x-amzn-errortype': 'ValidationException' },
      body: { message },
    };
  const error = { type: 'invalid_request_error', message };
  return { status: 400, headers: json, body: format === 'messages' ? { type: 'error', error } : { error } };
}

function answerOf(turn: ModelTurn, url: string, body: Buffer, rules?: TranscriptRules): ReplayControls {
  const format = formatOf(url);
  const isStream =
    url.includes('converse-stream') ||
    (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
  const reasoning = issueReasoning(turn, styleOf(url), rules);
  return { ...renderTurn(format, turn, isStream, reasoning), ...turn.sending };
}

function formatOf(url: string): ClientFormat {
  if (url.includes('/messages')) return 'messages';
  if (url.endsWith('/responses')) return 'responses';
  return url.includes('/converse') ? 'converse' : 'chat-completions';
}

/** The fields in which a chat-completions provider sends reasoning. */
type ReasoningStyle = 'blocks' | 'reasoning_content' | 'reasoning_details';

function styleOf(url: string): ReasoningStyle {
  if (formatOf(url) !== 'chat-completions') return 'blocks';
  return url.startsWith('/openrouter/') ? 'reasoning_details' : 'reasoning_content';
}

interface Reasoning {
  readonly style: ReasoningStyle;
  readonly blocks: readonly IssuedReasoning[];
}

function issueReasoning(
  { thinking = [] }: ModelTurn,
  style: ReasoningStyle,
  rules?: TranscriptRules,
): Reasoning {
  if (thinking.length > 0 && rules === undefined) throw new Error('reasoning needs a provider with rules');
  const blocks = thinking.map((given): IssuedReasoning => {
    if (typeof given !== 'string') return { kind: 'redacted', data: given.redacted };
    if (style === 'reasoning_content') return { kind: 'unsigned', text: given };
    return { kind: 'reasoning', text: given, signature: rules?.sign(given) ?? '' };
  });
  rules?.issue(blocks);
  return { style, blocks };
}

const defaults = { id: 'answer-1', model: 'scripted', createdAt: 1_795_000_000 };

export function renderTurn(
  format: ClientFormat,
  turn: ModelTurn,
  isStream: boolean,
  reasoning: Reasoning = { style: 'blocks', blocks: [] },
): ReplayControls {
  const { client } = formatNamed(format);
  const events = tellTurn(format, turn, reasoning, isStream);
  if (!isStream) {
    const body = client.renderResponse(foldAnswer(events), { ...defaults, latencyMs: 1 });
    return { status: 200, headers: json, body };
  }
  const renderer = client.openStreamRenderer({ ...defaults, includesUsage: true });
  const parts = events.map((event) => Buffer.from(renderer.render(event)));
  return { status: 200, headers: { 'content-type': client.streamContentType }, body: Buffer.concat(parts) };
}

function tellTurn(
  format: ClientFormat,
  turn: ModelTurn,
  reasoning: Reasoning,
  isStream: boolean,
): StreamEvent[] {
  const { text, calls = [], inputTokens = 100, outputTokens = 10, cachedInputTokens, ends } = turn;
  const cached = cachedInputTokens === undefined ? {} : { cachedInputTokens };
  const usage: StreamEvent = { type: 'usage', usage: { inputTokens, outputTokens, ...cached } };
  const reason: FinishReason = ends ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  const rawReason = rawReasons[format][ends ?? (calls.length > 0 ? 'calls' : 'stop')];
  const usages = turn.isUnmetered === true ? [] : [usage];
  const thought = tellReasoning(reasoning, isStream);
  const afterThought = thought.filter(({ type }) => type === 'thinking-start').length;
  const spoken = text === undefined ? [] : tellText(text, afterThought);
  const first = afterThought + (text === undefined ? 0 : 1);
  const end: StreamEvent[] =
    turn.breaks === true
      ? [{ type: 'error', message: 'Overloaded', code: 'overloaded_error' }]
      : [{ type: 'finish', choice: 0, reason, rawReason }, ...usages, { type: 'message-end' }];
  return [
    { type: 'message-start', format, id: 'answer-1', model: 'scripted', createdAt: defaults.createdAt },
    ...(format === 'messages' ? usages : []),
    ...thought,
    ...spoken,
    ...calls.flatMap((call, index) => tellCall(call, first + index)),
    ...end,
  ];
}

function tellReasoning({ style, blocks }: Reasoning, isStream: boolean): StreamEvent[] {
  if (style === 'reasoning_details') return tellDetails(blocks, isStream);
  return blocks.flatMap((issued, block): StreamEvent[] => {
    const place = { choice: 0, block };
    if (issued.kind === 'redacted')
      return [
        { type: 'thinking-start', ...place },
        { type: 'thinking-end', ...place, redacted: issued.data },
      ];
    const extensions: Extensions = { 'chat-completions': { field: 'reasoning_content' } };
    return [
      { type: 'thinking-start', ...place, ...(issued.kind === 'unsigned' ? { extensions } : {}) },
      ...halvesOf(issued.text).map((text): StreamEvent => ({ type: 'thinking-delta', ...place, text })),
      {
        type: 'thinking-end',
        ...place,
        ...(issued.kind === 'reasoning' ? { signature: issued.signature } : {}),
      },
    ];
  });
}

/**
 * Renders reasoning in OpenRouter's form. All fragments of a reasoning block have the same index, and the
 * last fragment has the signature.
 */
function tellDetails(blocks: readonly IssuedReasoning[], isStream: boolean): StreamEvent[] {
  const details = blocks.flatMap((issued, index): object[] => {
    const place = { format: 'anthropic-claude-v1', index };
    if (issued.kind === 'redacted') return [{ type: 'reasoning.encrypted', data: issued.data, ...place }];
    const signature = issued.kind === 'reasoning' ? issued.signature : '';
    const whole = { type: 'reasoning.text', text: issued.text, signature, ...place };
    if (!isStream) return [whole];
    const texts = halvesOf(issued.text).map((text) => ({ type: 'reasoning.text', text, ...place }));
    return [...texts, { type: 'reasoning.text', signature, ...place }];
  });
  const tell = (reasoning_details: readonly object[]): StreamEvent => ({
    type: 'extension',
    scope: 'message',
    choice: 0,
    extensions: { 'chat-completions': { reasoning_details } },
  });
  if (details.length === 0) return [];
  return isStream ? details.map((detail) => tell([detail])) : [tell(details)];
}

function halvesOf(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)];
}

function tellText(text: string, block: number): StreamEvent[] {
  const place = { choice: 0, block };
  return [
    { type: 'text-start', ...place },
    ...text.split(/(?<= )/).map((word): StreamEvent => ({ type: 'text-delta', ...place, text: word })),
    { type: 'text-end', ...place },
  ];
}

/** Renders a tool call in several chunks, because models stream arguments. */
function tellCall(call: ScriptedCall, block: number): StreamEvent[] {
  const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const place = { choice: 0, block };
  const { id, namespace } = call;
  const name = qualifyTool(namespace, call.name);
  const named = { name, ...(namespace === undefined ? {} : { namespace }) };
  return [
    { type: 'tool-call-start', ...place, id, ...named, kind: 'function' },
    ...halvesOf(written).map((argumentsText): StreamEvent => ({
      type: 'tool-call-delta',
      ...place,
      argumentsText,
    })),
    { type: 'tool-call-end', ...place },
  ];
}
