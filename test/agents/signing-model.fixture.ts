/**
 * A scripted model that signs its reasoning in the messages format, and rejects reasoning that follows a
 * changed prompt prefix. The model searches for a deferred tool before it calls the tool.
 */
import type { JsonObject } from '@gateway/interchange';
import {
  TranscriptRules,
  type BindingVerdict,
  type ReceivedRequest,
  type ReplayControls,
} from '@gateway/testing';
import type { CapableTurn } from './capable-model.fixture.ts';

/** The model of the sessions with bound reasoning. */
export const signingModel = 'anthropic/claude-opus-5-5';

const json = { 'content-type': 'application/json' };

type Block = JsonObject & { readonly type: string };

export class SigningModel {
  readonly #rules = new TranscriptRules({ bindsPrefix: true });
  readonly #verdicts: BindingVerdict[] = [];
  #searches = 0;

  /** The provider's decisions about the reasoning in each request, oldest first. */
  get verdicts(): readonly BindingVerdict[] {
    return this.#verdicts;
  }

  /** The number of searches for deferred tools. */
  get searches(): number {
    return this.#searches;
  }

  /** Returns the provider's error for a request that breaks a rule. Returns undefined for a valid request. */
  check({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>): ReplayControls | undefined {
    const request: unknown = JSON.parse(body.toString('utf8'));
    const verdict = this.#rules.judge('messages', request, String(headers['anthropic-beta'] ?? ''));
    this.#verdicts.push(verdict);
    if (verdict.kind !== 'rejected') return undefined;
    const error = { type: 'invalid_request_error', message: verdict.message };
    return { status: 400, headers: json, body: { type: 'error', error } };
  }

  answer(body: Buffer, { text, calls = [], searched, ...usage }: CapableTurn): ReplayControls {
    const request = JSON.parse(body.toString('utf8')) as JsonObject;
    const [signature = ''] = this.#rules.signBound('messages', request, ['']);
    if (searched !== undefined) this.#searches += 1;
    const content: Block[] = [
      { type: 'thinking', thinking: '', signature },
      ...(searched === undefined ? [] : renderSearch(`srvtoolu_${this.#verdicts.length}`, searched)),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
    ];
    const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage;
    const message = {
      ...{ id: `msg_${this.#verdicts.length}`, type: 'message', role: 'assistant' },
      ...{ model: request.model, stop_sequence: null },
      usage: {
        input_tokens: inputTokens - cachedInputTokens,
        cache_read_input_tokens: cachedInputTokens,
        output_tokens: outputTokens,
      },
    };
    const reason = calls.length > 0 ? 'tool_use' : 'end_turn';
    if (request.stream !== true)
      return { status: 200, headers: json, body: { ...message, content, stop_reason: reason } };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...content.flatMap(streamBlock),
      {
        ...{ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null } },
        usage: { output_tokens: outputTokens },
      },
      { type: 'message_stop' },
    ];
    const frames = events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
  }
}

/** Returns the blocks of a tool search that finds one tool. */
function renderSearch(id: string, name: string): Block[] {
  const found = [{ type: 'tool_reference', tool_name: name }];
  return [
    { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', input: { query: name } },
    {
      ...{ type: 'tool_search_tool_result', tool_use_id: id },
      content: { type: 'tool_search_tool_search_result', tool_references: found },
    },
  ];
}

/** Returns the stream events of a content block, with the block's content in a delta. */
function streamBlock(block: Block, index: number): JsonObject[] {
  const [empty, delta] = splitBlock(block);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...(delta === undefined ? [] : [{ type: 'content_block_delta', index, delta }]),
    { type: 'content_block_stop', index },
  ];
}

function splitBlock(block: Block): [start: Block, delta?: JsonObject] {
  const { signature, text, input } = block;
  switch (block.type) {
    case 'thinking':
      return [
        { ...block, signature: '' },
        { type: 'signature_delta', signature },
      ];
    case 'text':
      return [
        { ...block, text: '' },
        { type: 'text_delta', text },
      ];
    case 'server_tool_use':
    case 'tool_use':
      return [
        { ...block, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      ];
    default:
      return [block];
  }
}
