import {
  bindingBeta,
  listAdditions,
  TranscriptRules,
  type BindingVerdict,
  type BoundFormat,
  type ReceivedRequest,
  type ReplayControls,
  type ReplayProvider,
} from '@gateway/testing';
import { renderTurn } from './scripted-model.fixture.ts';

type Json = Readonly<Record<string, unknown>>;
const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const json = { 'content-type': 'application/json' };

/** A provider with a model that returns bound reasoning in each response. */
export interface BoundModel {
  readonly rules: TranscriptRules;
  /** The provider's verdict on the reasoning in each request with a transcript, oldest first. */
  readonly verdicts: readonly BindingVerdict[];
  /** Tools that a user turn required, but that were neither in the request nor found by a tool search. */
  readonly missed: readonly string[];
  /** How many times the model searched for a deferred tool. */
  readonly searches: number;
  /** The number of requests with messages that load deferred tools. */
  readonly loads: number;
}

/**
 * Responds to every request. After a user turn, the model calls the tool that `wants` returns for the turn's
 * text. Before it calls a deferred tool, the model searches for the tool. After tool results, the model
 * responds with a short text.
 */
export function serveBoundModel(
  provider: ReplayProvider,
  wants: (text: string) => string | undefined,
): BoundModel {
  const rules = new TranscriptRules({ bindsPrefix: true });
  const model = { rules, verdicts: [] as BindingVerdict[], missed: [] as string[], searches: 0, loads: 0 };
  let calls = 0;
  provider.setControls(({ url, headers, body: bytes }) => {
    const format = formatOf(url);
    const body = asJson(JSON.parse(bytes.toString('utf8')));
    const verdict = rules.judge(format, body, String(headers['anthropic-beta'] ?? ''));
    model.verdicts.push(verdict);
    if (listOf(body['messages']).some((message) => listAdditions(message).length > 0)) model.loads += 1;
    if (verdict.kind === 'rejected') return refuse(format, verdict.message);
    if (url.includes('count_tokens')) return { status: 200, headers: json, body: { input_tokens: 100 } };
    const name = wanted(body, wants);
    calls += 1;
    const found = name === undefined ? 'nothing' : findTool(format, body, name);
    if (found === 'deferred') model.searches += 1;
    if (found === 'missing') model.missed.push(name ?? '');
    const [signature = ''] = rules.signBound(format, body, ['']);
    const call = found === 'missing' || name === undefined ? undefined : { id: `call_${calls}`, name };
    const transformations =
      verdict.kind === 'dropped' ? { input_transformations: verdict.transformations } : {};
    if (format === 'responses')
      return answerResponses(body, signature, call, found === 'deferred', transformations);
    return format === 'messages'
      ? answerMessages(body, signature, call, found === 'deferred', transformations)
      : answerConverse(url, signature, call);
  });
  return model;
}

function formatOf(url: string): BoundFormat {
  if (url.includes('/responses')) return 'responses';
  return url.includes('/messages') ? 'messages' : 'converse';
}

function refuse(format: BoundFormat, message: string): ReplayControls {
  if (format !== 'converse')
    return {
      status: 400,
      headers: json,
      body: { type: 'error', error: { type: 'invalid_request_error', message } },
    };
  return { status: 400, headers: { ...json, 'x-amzn-errortype': 'ValidationException' }, body: { message } };
}

/**
 * Returns the tool that the client's last message requests. Returns undefined if the last message contains
 * tool results or requests no tool. The gateway may have appended a system message that loads tools.
 */
function wanted(body: Json, wants: (text: string) => string | undefined): string | undefined {
  const messages = listOf(body['messages'] ?? body['input']);
  const { content } = asJson(messages.findLast(({ role }) => role !== 'system'));
  const parts = typeof content === 'string' ? [{ text: content }] : listOf(content);
  const text = parts.map((part) => asJson(part)['text']).find((each) => typeof each === 'string');
  return typeof text === 'string' ? wants(text) : undefined;
}

function findTool(format: BoundFormat, body: Json, name: string): 'visible' | 'deferred' | 'missing' {
  if (format === 'converse') {
    const tools = listOf(asJson(body['toolConfig'])['tools']);
    return tools.some(({ toolSpec }) => asJson(toolSpec)['name'] === name) ? 'visible' : 'missing';
  }
  const tools = listOf(body['tools']);
  const tool = tools.find((each) => each['name'] === name);
  if (tool === undefined) return 'missing';
  if (tool['defer_loading'] !== true || isFoundIn(body, name)) return 'visible';
  const searches = ['tool_search_tool_bm25_20251119', 'tool_search'];
  return tools.some(({ type }) => searches.includes(String(type))) ? 'deferred' : 'missing';
}

/** Returns true if the transcript loads the tool, or contains the result of a search for the tool. */
function isFoundIn(body: Json, name: string): boolean {
  if (listOf(body['messages']).some((message) => listAdditions(message).includes(name))) return true;
  const outputs = listOf(body['input']).filter(({ type }) => type === 'tool_search_output');
  return (
    outputs.some(({ tools }) => listOf(tools).some((tool) => tool['name'] === name)) ||
    JSON.stringify(body['messages'] ?? []).includes(`"tool_name":${JSON.stringify(name)}`)
  );
}

function answerMessages(
  body: Json,
  signature: string,
  call: { readonly id: string; readonly name: string } | undefined,
  searches: boolean,
  transformations: object,
): ReplayControls {
  const content = [
    { type: 'thinking', thinking: '', signature },
    ...(call !== undefined && searches ? searchFor(call) : []),
    call === undefined ? { type: 'text', text: 'Done.' } : { type: 'tool_use', ...call, input: {} },
  ];
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: String(body['model']), content },
    ...{ stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
    ...{ usage: { input_tokens: 100, output_tokens: 10 }, ...transformations },
  };
  if (body['stream'] !== true) return { status: 200, headers: json, body: message };
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: streamOf(message) };
}

function searchFor({ id, name }: { readonly id: string; readonly name: string }): object[] {
  const references = [{ type: 'tool_reference', tool_name: name }];
  return [
    {
      ...{ type: 'server_tool_use', id: `srv_${id}`, name: 'tool_search_tool_bm25' },
      input: { query: 'what I need' },
    },
    {
      ...{ type: 'tool_search_tool_result', tool_use_id: `srv_${id}` },
      content: { type: 'tool_search_tool_search_result', tool_references: references },
    },
  ];
}

function streamOf(message: Json & { readonly content: readonly object[] }): string {
  const { content, stop_reason, ...start } = message;
  const blocks = content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ]);
  const events = [
    { type: 'message_start', message: { ...start, content: [], stop_reason: null } },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function answerResponses(
  body: Json,
  signature: string,
  call: { readonly id: string; readonly name: string } | undefined,
  searches: boolean,
  transformations: object,
): ReplayControls {
  const id = `rs_${signature.slice(0, 16)}`;
  const text = { type: 'output_text', text: 'Done.', annotations: [] };
  const output = [
    { type: 'reasoning', id, summary: [], encrypted_content: signature },
    ...(call !== undefined && searches ? searchResponses(body, id, call.name) : []),
    call === undefined
      ? { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [text] }
      : { type: 'function_call', id: `fc_${id}`, call_id: call.id, name: call.name, arguments: '{}' },
  ];
  const response = {
    ...{ id: `resp_${id}`, object: 'response', status: 'completed', model: body['model'], output },
    ...{ usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 }, ...transformations },
  };
  if (body['stream'] !== true) return { status: 200, headers: json, body: response };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.map((item, at) => ({ type: 'response.output_item.done', output_index: at, item })),
    { type: 'response.completed', response },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
}

/** The items of a tool search within OpenAI's response. The search result contains the tool's definition. */
function searchResponses(body: Json, id: string, name: string): object[] {
  const run = { execution: 'server', call_id: null, status: 'completed' };
  const found = listOf(body['tools']).filter((tool) => tool['name'] === name);
  return [
    { type: 'tool_search_call', id: `tsc_${id}`, ...run, arguments: { paths: [name] } },
    { type: 'tool_search_output', id: `tso_${id}`, ...run, tools: found },
  ];
}

function answerConverse(
  url: string,
  signature: string,
  call: { readonly id: string; readonly name: string } | undefined,
): ReplayControls {
  const turn = call === undefined ? { text: 'Done.' } : { calls: [{ ...call, arguments: {} }] };
  const blocks = [{ kind: 'reasoning', text: '', signature } as const];
  return renderTurn('converse', turn, url.includes('converse-stream'), { style: 'blocks', blocks });
}

/**
 * Returns true if a request asks the provider to drop reasoning blocks that do not match the conversation. The
 * request must also enable the beta feature.
 */
export function asksToDrop({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>): boolean {
  const text = body.toString('utf8');
  const named = `${String(headers['anthropic-beta'])} ${text}`;
  return text.includes('"prefix_mismatch_behavior":"drop_block"') && named.includes(bindingBeta);
}

/** Returns the tool results in a request, as the provider received them. */
export function listResults(body: string): string[] {
  const request = asJson(JSON.parse(body));
  const blocks = listOf(request['messages']).flatMap(({ content }) => listOf(content));
  const outputs = listOf(request['input']).filter(({ type }) => type === 'function_call_output');
  return [...blocks, ...outputs].flatMap(({ content, toolResult, output }) => {
    if (toolResult !== undefined)
      return listOf(asJson(toolResult)['content']).map(({ text }) => String(text));
    const text = content ?? output;
    return typeof text === 'string' ? [text] : [];
  });
}
