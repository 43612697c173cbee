import type { ClientFormat } from '@gateway/interchange';
import { providerFormatNamed } from '@gateway/wire-formats';
import { createAttempts } from '../../exchange/attempt.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import { recoveryFor, requestWith } from '../../recovery/recovery.fixture.ts';
import type { Target } from '../../../request/request.ts';
import { openResponseWriter } from './response-writer.ts';
import { StreamReader } from './relay-stream.ts';

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'm', created: 1, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const event = (said: { type: string } & Record<string, unknown>): string =>
  `event: ${said.type}\ndata: ${JSON.stringify(said)}\n\n`;
const call = { name: 'svc_more_tools', arguments: '{"action":"call","name":"away","arguments":{}}' };
const bytes = Buffer.from(
  [
    chunk({ role: 'assistant', content: 'I will look.' }),
    chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] }),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ].join(''),
);

/** Relays a response in two chunks. Returns the bytes that the client receives. */
function relay(at: number, given = bytes, format: ClientFormat = 'chat-completions'): string {
  const rounds = new RecoveryRounds({
    recovery: recoveryFor(requestWith(format, [{ name: 'here' }, { name: 'away' }]), { forwarded: [0] }),
    signal: new AbortController().signal,
    hasSent: () => true,
    estimateUsage: () => ({ inputTokens: 0, outputTokens: 0 }),
    send: () => Promise.reject(new Error('no round follows')),
  });
  const target = { lane: { kind: 'same-format', format }, model: 'm' } as Target;
  const exchange = {
    format,
    requestId: 'r',
    acceptedAt: new Date(0),
    attempts: createAttempts(),
  } as Exchange;
  const reader = new StreamReader(providerFormatNamed(format));
  const writer = openResponseWriter(target, exchange, rounds).openStreamWriter();
  const passed: Uint8Array[] = [];
  for (const part of [given.subarray(0, at), given.subarray(at)])
    for (const piece of writer.split(part)) passed.push(...writer.write(piece, reader.push(piece)));
  for (const piece of writer.left()) passed.push(...writer.write(piece, reader.push(piece)));
  passed.push(...writer.write(Buffer.alloc(0), reader.end()));
  if (reader.summary.error === undefined) passed.push(...writer.rest());
  return Buffer.concat(passed).toString();
}

describe('a stream with recovery', () => {
  it('is the same wherever the network splits the stream, because only complete frames are released', () => {
    const whole = relay(bytes.length);
    expect(whole).toContain('"name":"away"');
    for (let at = 1; at < bytes.length; at += 1) expect([at, relay(at)]).toEqual([at, whole]);
  });

  it('shows the provider’s error while a tool call is undecided, and drops the withheld call', () => {
    const begun = { id: 'c1', type: 'function', function: { name: 'away', arguments: '{"a' } };
    const error = 'data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n';
    const frames = [
      chunk({ role: 'assistant', content: 'I will look.' }),
      chunk({ tool_calls: [{ index: 0, ...begun }] }),
      error,
    ];
    const shown = relay(1, Buffer.from(frames.join('')));
    expect(shown).toContain('I will look.');
    expect(shown).toContain('Overloaded');
    expect(shown).not.toContain('away');
  });

  it('continues the event numbers of the Responses API after a comment', () => {
    const item = { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const recovery = { id: 'f1', type: 'function_call', call_id: 'c1', status: 'in_progress', ...call };
    const response = {
      id: 'r',
      object: 'response',
      created_at: 1,
      status: 'in_progress',
      model: 'm',
      output: [],
    };
    const numbered = [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      {
        type: 'response.output_text.delta',
        item_id: 'm1',
        output_index: 0,
        content_index: 0,
        delta: 'I will.',
      },
      { type: 'response.output_item.added', output_index: 1, item: recovery },
      {
        type: 'response.failed',
        response: { ...response, status: 'failed', error: { code: 'x', message: 'Down.' } },
      },
    ].map((said, at) => event({ ...said, sequence_number: 40 + at }));
    const frames = [...numbered.slice(0, 3), ': ping\n\n', ...numbered.slice(3)];
    const shown = relay(1, Buffer.from(frames.join('')), 'responses');
    expect(shown).not.toContain('svc_more_tools');
    const numbers = [...shown.matchAll(/"sequence_number":(\d+)/g)].map(([, digits]) => Number(digits));
    expect(numbers.slice(0, 3)).toEqual([40, 41, 42]);
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers.every((number, at) => at === 0 || number > numbers[at - 1]!)).toBe(true);
  });

  it('relays thousands of tool calls in linear time', () => {
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} };
    const calls = Array.from({ length: 16_000 }, (_, index) => [
      event({
        ...{ type: 'content_block_start', index },
        content_block: { type: 'tool_use', id: `t${index}`, name: 'away', input: {} },
      }),
      event({ type: 'content_block_stop', index }),
    ]);
    const end = [event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} })];
    const frames = [event({ type: 'message_start', message }), ...calls.flat(), ...end];
    const given = Buffer.from([...frames, event({ type: 'message_stop' })].join(''));
    // The test measures processor time, because other processes on the machine affect elapsed time.
    const before = process.threadCpuUsage();
    expect(relay(1, given, 'messages')).toBe(given.toString());
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(6_000);
  });
});
