import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import { gemini } from './gemini.ts';

const { provider } = gemini;
const sse = (...chunks: object[]): Buffer =>
  Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
const candidate = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
});
const stop = { finishReason: 'STOP' };

function read(...chunks: Uint8Array[]): StreamEvent[] {
  const parser = provider.openStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}
const partsOf = (events: StreamEvent[]) => foldAnswer(events).choices[0]!.parts;
const typesOf = (events: StreamEvent[]) => events.map(({ type }) => type);

describe('a stream', () => {
  it('ends only when every candidate has a finish reason', () => {
    const two = (parts: object[]) => ({
      candidates: [0, 1].map((index) => ({ index, content: { parts }, ...(index === 0 ? stop : {}) })),
    });
    expect(typesOf(read(sse(two([{ text: 'a' }]))))).not.toContain('message-end');
    const rest = { candidates: [{ index: 1, finishReason: 'MAX_TOKENS' }] };
    const events = read(sse(two([{ text: 'a' }]), rest));
    expect(events.at(-1)).toEqual({ type: 'message-end' });
    expect(foldAnswer(events).choices.map(({ finishReason }) => finishReason)).toEqual(['stop', 'length']);
  });

  it('completes a JSON list only after the closing bracket', () => {
    const list = Buffer.from(JSON.stringify([candidate([{ text: 'a' }], stop)]));
    expect(read(list).at(-1)).toEqual({ type: 'message-end' });
    expect(typesOf(read(list.subarray(0, -1)))).not.toContain('message-end');
  });

  it('parses a JSON list instead of the expected non-streaming response', () => {
    const list = Buffer.from(JSON.stringify([candidate([{ text: 'a' }]), candidate([{ text: 'b' }], stop)]));
    expect(provider.parseResponse(list)).toEqual(read(list));
    expect(partsOf(provider.parseResponse(list))).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('emits an error from the provider, and no end event after the error', () => {
    const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } };
    const failed = { type: 'error', message: 'overloaded', code: 'UNAVAILABLE', errorType: 'api_error' };
    expect(read(sse(candidate([{ text: 'a' }], stop), error)).at(-1)).toMatchObject(failed);
    expect(read(Buffer.from(JSON.stringify([error])))).toMatchObject([failed]);
    expect(provider.parseResponse(Buffer.from(JSON.stringify(error)))).toMatchObject([failed]);
  });

  it.each(['data: {"candidates"\n\n', 'data: {]}\n\n', '[{"candidates":]}]'])(
    'throws upstream_invalid for data that is not JSON: %j',
    (text) => {
      expect(() => read(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
    },
  );
});

describe('signatures', () => {
  it('stay with their part, and no text is appended to a signed part', () => {
    const parts = partsOf(
      read(
        sse(
          candidate([{ text: 'hm', thought: true }]),
          candidate([{ text: 'm', thought: true, thoughtSignature: 't' }]),
          candidate([{ text: 'a' }]),
          candidate([{ text: 'b' }]),
          candidate([{ text: 'c', thoughtSignature: 's' }]),
          candidate([{ text: 'd' }, { text: '', thoughtSignature: 'e' }]),
          candidate([{ functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'f' }], stop),
        ),
      ),
    );
    expect(parts).toMatchObject([
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: 'm', signature: 't' },
      { type: 'text', text: 'ab' },
      { type: 'text', text: 'c', extensions: { gemini: { thoughtSignature: 's' } } },
      { type: 'text', text: 'd' },
      { type: 'opaque', extensions: { gemini: { part: { text: '', thoughtSignature: 'e' } } } },
      { type: 'tool-call', name: 'f', argumentsText: '{"x":1}', signature: 'f' },
    ]);
  });
});

describe('calls', () => {
  it('get a deterministic id, different for each call and response, if they have no id', () => {
    const answer = (responseId: string) => ({
      responseId,
      ...candidate([{ functionCall: { name: 'f' } }, { functionCall: { name: 'f' } }], stop),
    });
    const idsOf = (responseId: string) =>
      partsOf(read(sse(answer(responseId)))).map((part) => (part.type === 'tool-call' ? part.id : ''));
    expect(idsOf('r')).toEqual(idsOf('r'));
    expect(new Set([...idsOf('r'), ...idsOf('s')]).size).toBe(4);
    expect(idsOf('r').every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(id))).toBe(true);
  });

  it('are rendered by name, without ids that the gateway created', () => {
    const [part] = partsOf(
      read(sse({ responseId: 'r', ...candidate([{ functionCall: { name: 'f' } }], stop) })),
    );
    const callId = part?.type === 'tool-call' ? part.id : '';
    const { body } = provider.renderRequest(
      {
        model: 'm',
        messages: [
          { role: 'assistant', parts: [part!] },
          { role: 'tool', parts: [{ type: 'tool-result', callId, parts: [] }] },
        ],
        tools: [],
        toolChoice: { mode: 'unset' },
        settings: {},
        stream: false,
        streamsUsage: false,
      },
      { model: 'gemini-2.5-pro' },
    );
    expect(body.contents).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '' } } }] },
    ]);
  });

  it('emit arguments from several pieces once, as a whole', () => {
    const piece = (partialArgs: object[], willContinue = true) =>
      candidate([{ functionCall: { partialArgs, willContinue } }]);
    const events = read(
      sse(
        candidate([{ functionCall: { name: 'f', willContinue: true } }]),
        piece([{ jsonPath: '$.a.b[0]', stringValue: 'x', willContinue: true }]),
        piece([
          { jsonPath: '$.a.b[0]', stringValue: 'y' },
          { jsonPath: "$['c d']", boolValue: true },
        ]),
        piece([
          { jsonPath: '$.n', nullValue: null },
          { jsonPath: '$.__proto__.z', numberValue: 1 },
        ]),
        candidate([{ functionCall: {} }]),
        candidate([{ text: '' }], stop),
      ),
    );
    expect(typesOf(events).filter((type) => type === 'tool-call-delta')).toHaveLength(1);
    const [part] = partsOf(events);
    expect(part).toMatchObject({
      type: 'tool-call',
      argumentsText: '{"a":{"b":["xy"]},"c d":true,"n":null,"__proto__":{"z":1}}',
    });
    expect(({} as { z?: number }).z).toBeUndefined();
  });

  it('take time proportional to the number of argument pieces', () => {
    const pieces = Array.from({ length: 100_000 }, (_, at) => ({
      jsonPath: `$.list[${at}]`,
      numberValue: at,
    }));
    const chunk = candidate([{ functionCall: { name: 'f', partialArgs: pieces } }]);
    const delta = read(sse(chunk)).find(({ type }) => type === 'tool-call-delta');
    const { list } = JSON.parse((delta as { argumentsText: string }).argumentsText) as { list: number[] };
    expect(list).toEqual(pieces.map(({ numberValue }) => numberValue));
  });

  it.each(['$.a[999999999]', 'a', '$', '$.', `$${'.a'.repeat(65)}`])(
    'throw upstream_invalid for arguments at an invalid path: %s',
    (jsonPath) => {
      const chunk = candidate([
        { functionCall: { name: 'f', partialArgs: [{ jsonPath, stringValue: 'x' }] } },
      ]);
      expect(() => read(sse(chunk))).toThrow(expect.objectContaining({ code: 'upstream_invalid' }));
    },
  );
});

describe('the end of a response', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['LANGUAGE', 'other'],
    ['SOMETHING_NEW', 'other'],
  ])('maps the finish reason %s to %s, and keeps the original value', (rawReason, finishReason) => {
    const bytes = Buffer.from(
      JSON.stringify(candidate([], { finishReason: rawReason, finishMessage: 'why' })),
    );
    const [choice] = foldAnswer(provider.parseResponse(bytes)).choices;
    expect(choice).toMatchObject({
      rawReason,
      finishReason,
      extensions: { gemini: { finishMessage: 'why' } },
    });
  });

  it('reports a blocked prompt as content-filter, with Google’s own value', () => {
    const promptFeedback = { blockReason: 'PROHIBITED_CONTENT' };
    const answer = foldAnswer(provider.parseResponse(Buffer.from(JSON.stringify({ promptFeedback }))));
    expect(answer.choices).toMatchObject([
      { rawReason: 'PROHIBITED_CONTENT', finishReason: 'content-filter' },
    ]);
    expect(answer.extensions.gemini).toEqual({ promptFeedback });
  });
});

describe('a grounded response', () => {
  it('emits citations, and keeps Google’s grounding metadata', () => {
    const groundingMetadata = {
      groundingChunks: [
        { web: { uri: 'https://a.test', title: 'A' } },
        { retrievedContext: { text: 'words' } },
      ],
      groundingSupports: [{ segment: { endIndex: 1, text: 'a' }, groundingChunkIndices: [0, 1, 7] }],
    };
    const events = read(sse(candidate([{ text: 'a' }], { ...stop, groundingMetadata })));
    expect(partsOf(events)).toMatchObject([
      { type: 'text', citations: [{ title: 'A', url: 'https://a.test' }, { citedText: 'words' }] },
    ]);
    expect(foldAnswer(events).choices[0]!.extensions.gemini).toEqual({ groundingMetadata });
  });

  it('emits citations for signed text, without appending text to it', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.test', title: 'A' } }],
      groundingSupports: [{ groundingChunkIndices: [0] }],
    };
    const parts = [{ text: 'a', thoughtSignature: 's' }, { text: 'b' }, { text: 'c', thoughtSignature: 't' }];
    expect(partsOf(read(sse(candidate(parts, { ...stop, groundingMetadata }))))).toMatchObject([
      { text: 'a' },
      { text: 'b' },
      { text: 'c', citations: [{ url: 'https://a.test' }] },
    ]);
  });
});

describe('errors', () => {
  it.each([
    [
      400,
      { message: 'bad key', status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] },
      { type: 'authentication_error', code: 'INVALID_ARGUMENT' },
    ],
    [
      429,
      { message: 'slow', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '1.5s' }] },
      { type: 'rate_limit_error', retryAfterMs: 1500 },
    ],
    [
      400,
      { message: 'bad', details: [{ fieldViolations: [{ field: 'contents' }] }] },
      { type: 'invalid_request_error', param: 'contents', code: null },
    ],
  ])('parses an error with status %i, as an object and in a list', (status, error, expected) => {
    for (const body of [{ error }, [{ error }]])
      expect(provider.parseError(status, JSON.stringify(body))).toMatchObject({
        message: error.message,
        ...expected,
      });
  });

  it('parses a non-JSON error as text, and drops HTML pages', () => {
    expect(provider.parseError(502, 'gone').message).toBe('gone');
    expect(provider.parseError(502, '<html>').message).toBe('The provider answered with status 502.');
  });
});
