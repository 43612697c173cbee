/** OpenAI Responses API responses, plain and streamed, in the shape that OpenAI sends. */
import type { ReplayControls, ReplayProvider } from '@gateway/testing';

export type Members = Record<string, unknown>;

/** An encrypted reasoning item, like the items that OpenAI returns for `store: false`. */
export const reasoningOf = (at: number): Members => ({
  ...{ id: `rs_${at}`, type: 'reasoning', summary: [], encrypted_content: `gAAAA-${at}==` },
});
export const callOf = (at: number, name: string, args: unknown): Members => ({
  ...{ id: `fc_${at}`, type: 'function_call', status: 'completed', call_id: `call_${at}`, name },
  arguments: JSON.stringify(args),
});
export const messageOf = (text: string): Members => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer' },
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
export function responseOf(id: string, output: readonly Members[]): Members {
  const usage = {
    ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 640 } },
    ...{ output_tokens: 50, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 1050 },
  };
  const head = {
    id,
    object: 'response',
    created_at: 1_795_000_000,
    model: 'gpt-5.6-sol',
    tool_choice: 'auto',
  };
  return { ...head, status: 'completed', error: null, incomplete_details: null, output, usage };
}

/** Returns the stream events that OpenAI would send for a response. */
function eventsOf(response: Members): Members[] {
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const items = (response['output'] as Members[]).flatMap((item, output_index): Members[] => {
    const place = { output_index, item_id: item['id'] };
    const [part] = (item['content'] ?? []) as { text: string }[];
    const deltas: Members[] =
      item['type'] === 'function_call'
        ? (String(item['arguments']).match(/.{1,9}/g) ?? []).map((delta) => ({
            ...{ type: 'response.function_call_arguments.delta', ...place, delta },
          }))
        : (part?.text.split(/(?<= )/) ?? []).map((delta) => ({
            ...{ type: 'response.output_text.delta', ...place, content_index: 0, delta },
          }));
    const isCall = item['type'] === 'function_call';
    const empty = { ...item, status: 'in_progress', ...(isCall ? { arguments: '' } : { content: [] }) };
    return [
      { type: 'response.output_item.added', output_index, item: empty },
      ...deltas,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  return [
    { type: 'response.created', response: started },
    ...items,
    { type: 'response.completed', response },
  ];
}

export function renderStream(response: Members): string {
  const frames = eventsOf(response).map((event, at) => {
    const data = JSON.stringify({ ...event, sequence_number: at, obfuscation: 'aZ09' });
    return `event: ${String(event['type'])}\ndata: ${data}\n\n`;
  });
  return frames.join('');
}

/** Makes the provider return the responses in order, one per request. */
export function scriptResponses(provider: ReplayProvider, responses: readonly Members[]): void {
  const left = [...responses];
  provider.setControls(({ body }): ReplayControls => {
    const next = left.shift();
    if (next === undefined)
      return { status: 500, body: { error: { message: 'all scripted responses are used up' } } };
    const isStream = (JSON.parse(body.toString('utf8')) as Members)['stream'] === true;
    return isStream
      ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body: renderStream(next) }
      : { status: 200, headers: { 'content-type': 'application/json' }, body: next };
  });
}
