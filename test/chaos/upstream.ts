import type { ReplayControls, ReplayProvider } from '@gateway/testing';
import { startProvider } from '../e2e/provider.fixture.ts';
import type { UpstreamRequest } from './history.ts';
import { expectedTokens } from './promises/records.ts';

/** The recording provider, including the state that the nemesis sets. */
export interface Upstream {
  readonly url: string;
  readonly requests: readonly UpstreamRequest[];
  state: 'healthy' | 'slow' | 'broken';
  close(): Promise<void>;
}

/** Delay of a slow response, in milliseconds. */
const slowMs = 1_500;
const { prompt, completion } = expectedTokens;
const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream' };

/** Matches the operation's name in the body. Every chat request has the operation's name in its last message. */
const operationPattern = /operation <([\w-]+)>/;

interface Body {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
}

/** Starts a provider that records requests and returns the same text in every endpoint's format. */
export async function startUpstream(now: () => number): Promise<Upstream> {
  const provider: ReplayProvider = await startProvider();
  const requests: UpstreamRequest[] = [];
  const upstream: Upstream = {
    url: provider.url,
    requests,
    state: 'healthy',
    close: () => provider.close(),
  };
  let brokenCount = 0;
  provider.setControls(({ url, body: bytes }) => {
    const text = bytes.toString('utf8');
    const body = JSON.parse(text) as Body;
    requests.push({
      operation: operationPattern.exec(text)?.[1] ?? 'unknown',
      atMs: now(),
      tools: (body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? ''),
    });
    const answer = renderAnswer(url, body.stream === true);
    if (upstream.state === 'slow') return { ...answer, firstByteDelayMs: slowMs, chunkDelayMs: 100 };
    if (upstream.state === 'broken') return breakAnswer(answer, (brokenCount += 1));
    return { ...answer, firstByteDelayMs: 5 };
  });
  return upstream;
}

/** Makes the provider fail in four different ways, one after another. */
function breakAnswer(answer: ReplayControls, count: number): ReplayControls {
  const error = { error: { message: 'overloaded', type: 'server_error', code: null, param: null } };
  const ways: readonly ReplayControls[] = [
    { ...answer, resetAtByte: 'before-headers' },
    { ...answer, status: 500, headers: json, body: error },
    { ...answer, resetAtByte: 120 },
    { ...answer, status: 200, headers: json, body: '<html>' },
  ];
  return ways[count % ways.length]!;
}

function renderAnswer(url: string, stream: boolean): ReplayControls {
  if (url.endsWith('/messages')) return renderMessages(stream);
  if (url.endsWith('/responses')) return renderResponses(stream);
  return renderChat(stream);
}

const framesOf = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

function renderChat(stream: boolean): ReplayControls {
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  const head = { id: 'chatcmpl-1', created: 1_795_000_000, model: 'gpt-4o' };
  if (!stream) {
    const message = { role: 'assistant', content: 'Done.' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { status: 200, headers: json, body: { ...head, object: 'chat.completion', choices, usage } };
  }
  const chunk = (choices: readonly object[], extra: object = {}): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...extra })}\n\n`;
  const delta = (content: string) => [{ index: 0, delta: { content }, finish_reason: null }];
  const body = [
    chunk(delta('Do')),
    chunk(delta('ne.')),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ].join('');
  return { status: 200, headers: eventStream, body };
}

function renderMessages(stream: boolean): ReplayControls {
  const usage = { input_tokens: prompt, output_tokens: completion };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };
  const content = [{ type: 'text', text: 'Done.' }];
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  if (!stream) return { status: 200, headers: json, body: { ...head, content, ...end, usage } };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null };
  const started = { ...message, usage: { ...usage, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: started },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: end, usage: { output_tokens: completion } },
    { type: 'message_stop' },
  ];
  return { status: 200, headers: eventStream, body: framesOf(events) };
}

function renderResponses(stream: boolean): ReplayControls {
  const part = { type: 'output_text', text: 'Done.', annotations: [], logprobs: [] };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const usage = {
    ...{ input_tokens: prompt, input_tokens_details: { cached_tokens: 0 } },
    ...{ output_tokens: completion, output_tokens_details: { reasoning_tokens: 0 } },
    total_tokens: prompt + completion,
  };
  const head = { id: 'resp_1', object: 'response', created_at: 1_795_000_000, model: 'gpt-4o' };
  const done = { ...head, status: 'completed', error: null, incomplete_details: null, output: [item], usage };
  if (!stream) return { status: 200, headers: json, body: done };
  const place = { output_index: 0, content_index: 0, item_id: item.id };
  const events = [
    { type: 'response.created', response: { ...done, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'Done.', logprobs: [] },
    { type: 'response.output_text.done', ...place, text: 'Done.', logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: done },
  ].map((event, at) => ({ ...event, sequence_number: at }));
  return { status: 200, headers: eventStream, body: framesOf(events) };
}
