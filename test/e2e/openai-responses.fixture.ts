/** Responses of OpenAI's Responses API, and the request checks that OpenAI makes. */
import type { ReplayControls } from '@gateway/testing';

type Members = Record<string, unknown>;

/** Returns a response item with a function call. */
export const callOf = (id: string, name: string, argumentsText: string): Members => ({
  ...{ id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name },
  arguments: argumentsText,
});

/** Returns a response item with a call to a custom tool. */
export const customCallOf = (id: string, name: string, input: string): Members => ({
  ...{ id: `ctc_${id}`, type: 'custom_tool_call', status: 'completed', call_id: id, name, input },
});

export const messageOf = (text: string): Members => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const usage = {
  ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 640 } },
  ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1050 },
};

/** Returns a completed response. `given` overrides fields of the response. */
export function responseOf(output: readonly Members[], given: Members = {}): Members {
  const head = { id: 'resp_1', object: 'response', created_at: 1_795_000_000, model: 'gpt-6.2-sol' };
  return { ...head, status: 'completed', error: null, incomplete_details: null, output, usage, ...given };
}

/** The stream events between the start and the end of one output item. */
function deltasOf(item: Members, place: Members): Members[] {
  const [part] = (item['content'] ?? []) as { text: string }[];
  if (item['type'] === 'message') {
    const at = { ...place, content_index: 0 };
    const pieces = part?.text.split(/(?<= )/) ?? [];
    return [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: part?.text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ];
  }
  const isCustom = item['type'] === 'custom_tool_call';
  if (!isCustom && item['type'] !== 'function_call') return [];
  const [name, member] = isCustom
    ? (['custom_tool_call_input', 'input'] as const)
    : (['function_call_arguments', 'arguments'] as const);
  const pieces = String(item[member]).match(/./gs) ?? [];
  return [
    ...pieces.map((delta) => ({ type: `response.${name}.delta`, ...place, delta })),
    {
      type: `response.${name}.done`,
      ...place,
      [member]: item[member],
      ...(isCustom ? {} : { name: item['name'] }),
    },
  ];
}

/** Returns the stream events that OpenAI would send for a response. */
function eventsOf(response: Members): Members[] {
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const items = (response['output'] as Members[]).flatMap((item, output_index): Members[] => {
    const isOpen = { ...item, ...('status' in item ? { status: 'in_progress' } : {}) };
    const emptied = ['arguments', 'input', 'encrypted_content'].filter((name) => name in item);
    const empty = {
      ...{ ...isOpen, ...('content' in item ? { content: [] } : {}) },
      ...Object.fromEntries(emptied.map((name) => [name, ''])),
    };
    return [
      { type: 'response.output_item.added', output_index, item: empty },
      ...deltasOf(item, { output_index, item_id: item['id'] }),
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const end = { type: `response.${String(response['status'])}`, response };
  return [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...items,
    end,
  ];
}

export const json = { 'content-type': 'application/json' };

/** Renders a response as an event stream or as one JSON body. */
export function renderResponse(response: Members, isStream: boolean): ReplayControls {
  if (!isStream) return { status: 200, headers: json, body: response };
  const frames = eventsOf(response).map(
    (event, at) =>
      `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
  );
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
}

/**
 * Returns the error message that OpenAI would return for the request, if any. Returns undefined if the
 * request is valid.
 */
export function findViolation(url: string, body: Members): string | undefined {
  if (url !== '/v1/responses') return `Function tools are not supported in ${url}. Use /v1/responses.`;
  if (body['store'] !== false) return 'the response would be stored';
  const known = [
    'model',
    'instructions',
    'input',
    'tools',
    'tool_choice',
    'stream',
    'store',
    'include',
    'reasoning',
    'text',
  ];
  const taken = [...known, 'max_output_tokens', 'parallel_tool_calls', 'prompt_cache_key', 'service_tier'];
  const unknown = Object.keys(body).filter((name) => !taken.includes(name));
  if (unknown.length > 0) return `Unknown parameter: '${unknown[0] ?? ''}'.`;
  const calls = new Set<unknown>();
  for (const item of body['input'] as Members[]) {
    if (item['type'] === 'function_call') calls.add(item['call_id']);
    if (item['type'] === 'function_call_output' && !calls.has(item['call_id']))
      return `No tool call found for function call output with call_id ${String(item['call_id'])}.`;
  }
  const isLoose = ((body['tools'] ?? []) as Members[]).some(
    ({ type, strict }) => type === 'function' && typeof strict !== 'boolean',
  );
  return isLoose ? 'a function without `strict` is strict, and its schema is not' : undefined;
}
