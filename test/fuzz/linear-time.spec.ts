import type { StreamEvent } from '@gateway/interchange';
import {
  encodeEventStream,
  encodeSse,
  EventStreamDecoder,
  formatNamed,
  providerFormatNamed,
  scanJson,
  SseDecoder,
} from '@gateway/wire-formats';
import type { Json } from './arbitraries.ts';
import { requests } from './sample-requests.ts';

const clients = ['chat-completions', 'messages', 'converse'] as const;
const route = { model: 'p/m', stream: true };

/** Returns the shortest of several run times, because other processes only make runs slower. */
function shortestMs(run: () => void): number {
  return Math.min(
    ...Array.from({ length: 4 }, () => {
      const startedAt = performance.now();
      run();
      return performance.now() - startedAt;
    }),
  );
}

const factorMax = 3;

/**
 * If the input doubles, the time may at most triple, because quadratic work would take four times as long. A
 * busy machine can distort one measurement, so the test measures again. Quadratic code exceeds the limit in
 * every repetition.
 */
function expectLinear(prepare: (size: number) => () => void, size: number): void {
  const factors: number[] = [];
  prepare(size)();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const once = shortestMs(prepare(size));
    const factor = shortestMs(prepare(size * 2)) / Math.max(once, 0.5);
    if (factor <= factorMax) return;
    factors.push(factor);
  }
  throw new Error(
    `twice the input takes ${factors.map((factor) => factor.toFixed(1)).join(', ')} times as long`,
  );
}

const pieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

describe('codecs', () => {
  const sse: [string, (size: number) => string][] = [
    ['a long line', (size) => `data: ${'x'.repeat(size)}\n\n`],
    ['many lines of one event', (size) => `${'data: x\n'.repeat(size / 8)}\n`],
    ['many events', (size) => 'data: x\n\n'.repeat(size / 9)],
    ['many empty lines', (size) => '\n'.repeat(size)],
    ['many returns', (size) => '\r'.repeat(size)],
    ['comments', (size) => ': x\n'.repeat(size / 4)],
  ];
  test.each(sse)('server-sent events take linear time: %s, in small chunks', (_what, write) => {
    expectLinear((size) => {
      const chunks = pieces(Buffer.from(write(size)), 7);
      return () => {
        const decoder = new SseDecoder({ frameBytesMax: 1e9 });
        for (const chunk of chunks) decoder.push(chunk);
        decoder.flush();
      };
    }, 400_000);
  });

  test('server-sent events take linear time: rendered with many line ends', () => {
    expectLinear((size) => {
      const data = '\r\n\r\n\n'.repeat(size / 5);
      return () => void encodeSse({ data });
    }, 500_000);
  });

  test.each([
    ['one long message', (size: number) => [size]],
    ['many messages', (size: number) => Array.from({ length: size / 100 }, () => 100)],
  ])('binary event streams take linear time: %s, in small chunks', (_what, lengths) => {
    expectLinear((size) => {
      const all = lengths(size).map((length) => ({ headers: new Map(), payload: Buffer.alloc(length) }));
      const bytes = Buffer.concat(all.map((message) => Buffer.from(encodeEventStream(message))));
      const chunks = pieces(bytes, 7);
      return () => {
        const decoder = new EventStreamDecoder();
        for (const chunk of chunks) Array.from(decoder.push(chunk));
      };
    }, 400_000);
  });

  const documents: [string, (size: number) => string][] = [
    ['a long string', (size) => `"${'x'.repeat(size)}"`],
    ['escapes', (size) => `"${'\\n'.repeat(size / 2)}"`],
    ['many members', (size) => `{${Array.from({ length: size / 10 }, (_, at) => `"k${at}":1`).join()}}`],
    ['the same member', (size) => `{${'"k":1,'.repeat(size / 6)}"k":1}`],
    ['many items', (size) => `[${'1,'.repeat(size / 2)}1]`],
    ['nesting', (size) => `[${`${'['.repeat(100)}${']'.repeat(100)},`.repeat(size / 201)}1]`],
    ['a long number', (size) => '1'.repeat(size)],
  ];
  test.each(documents)('JSON takes linear time: %s', (_what, write) => {
    expectLinear((size) => {
      const bytes = Buffer.from(write(size));
      return () => void scanJson(bytes, { depthMax: 128 });
    }, 800_000);
  });
});

type Members = { [key: string]: Json };

/** Returns a sample request in which messages or tools are repeated many times. */
function grow(name: string, what: 'messages' | 'tools', times: number): Buffer {
  const request = structuredClone(requests[name]) as Members;
  const holder = name === 'converse' && what === 'tools' ? (request['toolConfig'] as Members) : request;
  const list = holder[what] as Json[];
  const [first] = list;
  holder[what] =
    what === 'messages'
      ? Array.from({ length: times }, () => list).flat()
      : Array.from(
          { length: times },
          (_, at) => JSON.parse(JSON.stringify(first).replaceAll('weather', `weather${at}`)) as Json,
        ).concat([first ?? null]);
  return Buffer.from(JSON.stringify(request));
}

describe.each(clients)('requests in the %s format', (name) => {
  test.each(['messages', 'tools'] as const)(
    'many %s, parsed and rendered for every provider, take linear time',
    (what) => {
      expectLinear(
        (times) => {
          const bytes = grow(name, what, times);
          return () => {
            const tape = scanJson(bytes, { depthMax: 128 });
            const { client } = formatNamed(name);
            client.toolDefinitions(tape, client.outlineRequest(tape, route).tools);
            const request = client.parseRequest(tape, route);
            for (const provider of [...clients, 'gemini', 'cohere'] as const)
              providerFormatNamed(provider).provider.renderRequest(request, { model: 'm' });
          };
        },
        what === 'tools' ? 3000 : 300,
      );
    },
  );
});

/** Returns the stream events of a text and of many parallel tool calls. Each tool call consists of many chunks. */
function manyEvents(size: number): StreamEvent[] {
  const calls = Array.from({ length: size / 20 }, (_, at) => at + 1);
  const place = { choice: 0, block: 0 };
  return [
    { type: 'message-start', format: 'cohere' },
    { type: 'text-start', ...place },
    ...Array.from({ length: size }, () => ({ type: 'text-delta', ...place, text: 'x' }) as const),
    { type: 'text-end', ...place },
    ...calls.map(
      (block) =>
        ({
          type: 'tool-call-start',
          choice: 0,
          block,
          id: `c${block}`,
          name: 'f',
          kind: 'function',
        }) as const,
    ),
    ...Array.from({ length: 10 }, () =>
      calls.map((block) => ({ type: 'tool-call-delta', choice: 0, block, argumentsText: ' ' }) as const),
    ).flat(),
    ...calls.map((block) => ({ type: 'tool-call-end', choice: 0, block }) as const),
    { type: 'finish', choice: 0, reason: 'tool-calls', rawReason: 'x' },
    { type: 'message-end' },
  ];
}

describe.each(clients)('streams in the %s format', (name) => {
  const options = { id: 'a', model: 'm', createdAt: 1, includesUsage: true };
  const write = (events: readonly StreamEvent[]): Buffer => {
    const renderer = formatNamed(name).client.openStreamRenderer(options);
    return Buffer.concat(events.map((event) => Buffer.from(renderer.render(event))));
  };

  test('many stream events are rendered in linear time', () => {
    expectLinear((size) => {
      const events = manyEvents(size);
      return () => void write(events);
    }, 4000);
  });

  test('many stream events are parsed in linear time from small chunks', () => {
    expectLinear((size) => {
      const chunks = pieces(write(manyEvents(size)), 50);
      return () => {
        const parser = formatNamed(name).provider.openStreamParser();
        for (const chunk of chunks) parser.push(chunk);
        parser.end();
      };
    }, 2000);
  });
});
