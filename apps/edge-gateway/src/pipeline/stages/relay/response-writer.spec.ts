import { encodeEventStream, providerFormatNamed } from '@gateway/wire-formats';
import type { StreamEvent } from '@gateway/interchange';
import { createAttempts } from '../../exchange/attempt.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Target } from '../../../request/request.ts';
import { fillCallIds, openResponseWriter, showEvents } from './response-writer.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import { DeniedCalls } from '../../../tool-lists/denied-calls.ts';
import { ToolPermission } from '../../../tool-lists/tool-permission.ts';
import { StreamReader } from './relay-stream.ts';

/** Relays a stream in the given format, split into pieces. Each piece of the stream is parsed before it is written. */
function pass(format: 'messages' | 'converse' | 'responses', bytes: Buffer): Buffer {
  const target = { lane: { kind: 'same-format', format }, model: 'm' } as Target;
  const exchange = {
    format,
    requestId: 'r',
    acceptedAt: new Date(0),
    attempts: createAttempts(),
  } as Exchange;
  const reader = new StreamReader(providerFormatNamed(format));
  const writer = openResponseWriter(target, exchange, null).openStreamWriter();
  const passed: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 65_536) {
    const chunk = bytes.subarray(at, at + 65_536);
    passed.push(...writer.write(chunk, reader.push(chunk)));
  }
  return Buffer.concat(passed);
}

describe("a stream in the provider's own format", () => {
  it('passes a document of several megabytes from a server tool', () => {
    const document = { type: 'web_fetch_tool_result', content: { data: 'A'.repeat(7 * 1024 * 1024) } };
    const event = { type: 'content_block_start', index: 0, content_block: document };
    const bytes = Buffer.from(`event: content_block_start\ndata: ${JSON.stringify(event)}\n\n`);
    expect(pass('messages', bytes).equals(bytes)).toBe(true);
  });

  it('passes a response with a generated image of several megabytes', () => {
    const image = { type: 'image_generation_call', id: 'ig_1', result: 'A'.repeat(20 * 1024 * 1024) };
    const event = { type: 'response.completed', response: { id: 'resp_1', output: [image] } };
    const bytes = Buffer.from(`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`);
    expect(pass('responses', bytes).equals(bytes)).toBe(true);
  });

  it('passes a binary event with the largest possible image', () => {
    const image = { image: { source: { bytes: 'A'.repeat(15 * 1024 * 1024) } } };
    const bytes = Buffer.from(
      encodeEventStream({
        headers: new Map([
          [':message-type', { type: 'string', value: 'event' }],
          [':event-type', { type: 'string', value: 'contentBlockDelta' }],
        ]),
        payload: Buffer.from(JSON.stringify({ contentBlockIndex: 0, delta: image })),
      }),
    );
    expect(pass('converse', bytes).equals(bytes)).toBe(true);
  });
});

describe('a stream in the Responses format for a key with tool lists', () => {
  const passDenied = (events: readonly object[]): string => {
    const permission = new ToolPermission({ allowedTools: null, deniedTools: ['crm', 'mcp'] });
    const target = { lane: { kind: 'same-format', format: 'responses' }, model: 'm' } as unknown as Target;
    const exchange = {
      ...{ format: 'responses', requestId: 'r', acceptedAt: new Date(0), attempts: createAttempts() },
      toolGuard: { permission, streamsUsage: false, toolsOffered: 1, isRestricted: false },
    } as unknown as Exchange;
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    const reader = new StreamReader(providerFormatNamed('responses'));
    const writer = openResponseWriter(target, exchange, null).openStreamWriter();
    const frames = writer.split(bytes).flatMap((frame) => writer.write(frame, reader.push(frame)));
    return Buffer.concat([...frames, ...writer.rest()]).toString();
  };
  const response = { id: 'resp_1', model: 'm', output: [], status: 'completed' };
  const end = { type: 'response.completed', response };

  it.each([
    { type: 'function_call', call_id: 'c1', namespace: 'crm', name: 'get', arguments: 'secret' },
    { type: 'mcp_call', id: 'mcp_1', server_label: 'files', name: 'read', arguments: 'secret' },
  ])('has no part of a denied call: %j', (item) => {
    const at = { output_index: 0 };
    const shown = passDenied([
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', ...at, item },
      { type: `response.${item.type}_arguments.delta`.replace('call_call', 'call'), ...at, delta: 'secret' },
      { type: 'response.output_item.done', ...at, item },
      end,
    ]);
    expect(shown).not.toContain('secret');
    expect(shown).not.toContain(item.type);
    expect(shown).toContain('response.completed');
  });
});

it('records a call in a recovery round whose namespace is denied', () => {
  const calls = new DeniedCalls(new ToolPermission({ allowedTools: null, deniedTools: ['crm'] }));
  const rounds = { recoveryToolName: 'recover', push: () => [] } as unknown as RecoveryRounds;
  const start = (call: object): string => {
    const item = { type: 'function_call', call_id: 'c1', arguments: '', ...call };
    return `data: ${JSON.stringify({ type: 'response.output_item.added', output_index: 0, item })}\n\n`;
  };
  const round = [{ name: 'recover' }, { namespace: 'erp', name: 'list' }, { namespace: 'crm', name: 'get' }];
  for (const call of round) {
    const events = new StreamReader(providerFormatNamed('responses')).push(Buffer.from(start(call)));
    expect(showEvents(events, rounds, calls)).toEqual([]);
  }
  expect(calls.names).toEqual(['crm.get']);
});

function startCall(block: number, id: string): StreamEvent {
  return { type: 'tool-call-start', choice: 0, block, id, name: 'f', kind: 'function' };
}

describe('fillCallIds', () => {
  it('gives each tool call without an id a unique id that other formats accept', () => {
    const ids = fillCallIds([startCall(0, ''), startCall(1, 'given'), startCall(2, '')], 'a-1').map(
      (event) => (event.type === 'tool-call-start' ? event.id : ''),
    );
    expect(ids).toEqual(['call_a1_0_0', 'given', 'call_a1_0_2']);
  });

  it('does not change events that have ids', () => {
    const events = [startCall(0, 'given')];
    expect(fillCallIds(events, 'a')).toBe(events);
  });
});
