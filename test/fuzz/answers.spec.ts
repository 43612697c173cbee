import fc from 'fast-check';
import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import {
  encodeEventStream,
  encodeSse,
  formatNamed,
  providerFormatNamed,
  type EventStreamMessage,
} from '@gateway/wire-formats';
import { anyBytes, cutAnywhere, json, mutated, text, type Json } from './arbitraries.ts';
import { fuzz } from './fuzz.ts';
import { hear, type ClientName } from './rendered-stream.ts';
import { streams } from './sample-streams.ts';

const clients: readonly ClientName[] = ['chat-completions', 'messages', 'converse'];
const providers = [...clients, 'gemini', 'cohere'] as const;
type ProviderName = (typeof providers)[number];
const options = { id: 'a', model: 'm', createdAt: 1, includesUsage: true };

function encode(name: ProviderName, events: readonly Json[]): Buffer {
  if (name !== 'converse')
    return Buffer.from(events.map((event) => encodeSse(frameOf(name, event))).join(''));
  return Buffer.concat(events.map((event) => Buffer.from(encodeEventStream(messageOf(event)))));
}

function frameOf(name: ProviderName, event: Json): { data: string; event?: string } {
  const type =
    typeof event === 'object' && event !== null && !Array.isArray(event) ? event['type'] : undefined;
  const data = event === '[DONE]' ? event : JSON.stringify(event);
  const isNamed = name === 'messages' && typeof type === 'string' && /^[a-z_]+$/.test(type);
  return isNamed ? { data, event: type } : { data };
}

function messageOf(event: Json): EventStreamMessage {
  const [name = 'x', payload] = Object.entries(event ?? {})[0] ?? [];
  const header = (value: string) => ({ type: 'string', value }) as const;
  return {
    headers: new Map([
      [':message-type', header('event')],
      [':event-type', header(name.toWellFormed().slice(0, 100))],
    ]),
    payload: Buffer.from(JSON.stringify(payload ?? {})),
  };
}

/** Returns the stream events that the parser managed to read. The only error allowed is a `GatewayError`. */
function read(name: ProviderName, chunks: readonly Buffer[]): StreamEvent[] {
  const parser = providerFormatNamed(name).provider.openStreamParser();
  const events: StreamEvent[] = [];
  try {
    for (const chunk of chunks) events.push(...parser.push(chunk));
    events.push(...parser.end());
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  return events;
}

function renderAll(client: ClientName, events: readonly StreamEvent[]): Buffer {
  const renderer = formatNamed(client).client.openStreamRenderer(options);
  return Buffer.concat(events.map((event) => Buffer.from(renderer.render(event))));
}

/**
 * Expects that the client receives an end event only if the provider sent one. Expects that the client
 * receives every error that the parser reported.
 */
function expectHeard(client: ClientName, events: readonly StreamEvent[]): void {
  const heard = hear(client, renderAll(client, events));
  expect(heard.ends).toBe(events.filter(({ type }) => type === 'message-end').length);
  expect(heard.errors).toHaveLength(events.filter(({ type }) => type === 'error').length);
}

describe.each(providers)('a stream in the %s format', (name) => {
  const changed = mutated(streams[name] ?? []).map((events) =>
    encode(name, Array.isArray(events) ? events : [events]),
  );

  fuzz(
    'a stream is parsed or rejected, and each client receives an end only if the stream had an end',
    cutAnywhere(changed),
    (chunks) => {
      const events = read(name, chunks);
      for (const client of clients) expectHeard(client, events);
    },
  );

  fuzz(
    'a stream of arbitrary bytes is rejected, or contains no complete response',
    cutAnywhere(anyBytes),
    (chunks) => {
      expect(read(name, chunks).filter(({ type }) => type === 'message-end')).toEqual([]);
    },
  );
});

describe.each(providers)('a response in the %s format', (name) => {
  const { provider } = providerFormatNamed(name);

  fuzz(
    'a response is parsed or rejected',
    fc.oneof(
      json.map((value) => Buffer.from(JSON.stringify(value))),
      anyBytes,
    ),
    (bytes) => {
      try {
        for (const client of clients) renderAll(client, provider.parseResponse(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(GatewayError);
      }
    },
  );

  const errors = fc.record({
    status: fc.integer({ min: 400, max: 599 }),
    body: fc.oneof(
      text,
      json.map((value) => JSON.stringify(value)),
      json.map((value) => JSON.stringify({ error: value })),
    ),
  });
  fuzz('an error response has a message', errors, ({ status, body }) => {
    expect(typeof provider.parseError(status, body, {}).message).toBe('string');
  });
});

describe.each(clients)('text to a client of %s', (client) => {
  const place = { choice: 0, block: 0 };
  const said = fc.record({
    texts: fc.array(text, { maxLength: 5 }),
    name: text,
    id: text,
    model: text,
    reason: text,
  });

  fuzz(
    'text reaches the client unchanged, and forges neither an event nor an end',
    said,
    ({ texts, name, id, model, reason }) => {
      const events: StreamEvent[] = [
        { type: 'message-start', format: 'cohere', id, model },
        { type: 'text-start', ...place },
        ...texts.map((each) => ({ type: 'text-delta', ...place, text: each }) as const),
        { type: 'text-end', ...place },
        { type: 'tool-call-start', choice: 0, block: 1, id, name, kind: 'function' },
        { type: 'tool-call-delta', choice: 0, block: 1, argumentsText: JSON.stringify({ [name]: texts }) },
        { type: 'tool-call-end', choice: 0, block: 1 },
        { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: reason },
        { type: 'message-end' },
      ];
      const heard = hear(client, renderAll(client, events));
      expect(heard).toMatchObject({ text: texts.join(''), ends: 1, errors: [] });
      const plain = events.map((event) =>
        event.type === 'text-delta' ? { ...event, text: event.text === '' ? '' : 'x' } : event,
      );
      expect(heard.frames).toBe(hear(client, renderAll(client, plain)).frames);
    },
  );

  const failure = fc.record({ message: text, code: text, type: text, requestId: text });
  fuzz(
    'a failure is one error without an end, for any error text',
    failure,
    ({ message, code, type, requestId }) => {
      const error = { status: 502, type, code, message, param: null, source: 'gateway' } as const;
      const bytes = Buffer.from(formatNamed(client).client.renderStreamError(error, requestId));
      expect(hear(client, bytes)).toMatchObject({ ends: 0, frames: 1, errors: [expect.any(String)] });
      const told: StreamEvent = { type: 'error', message, code, errorType: type };
      const start: StreamEvent = { type: 'message-start', format: 'cohere' };
      expect(hear(client, renderAll(client, [start, told]))).toMatchObject({
        ends: 0,
        errors: [expect.any(String)],
      });
    },
  );
});
