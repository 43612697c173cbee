import { UsageReader } from './usage-reader.ts';

function read(contentType: string, text: string, cut = 5): ReturnType<UsageReader['end']> {
  const reader = new UsageReader(contentType);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += cut) reader.push(bytes.subarray(at, at + cut));
  return reader.end();
}

describe('UsageReader', () => {
  it.each([
    ['{"usage":{"prompt_tokens":7,"total_tokens":7}}', { inputTokens: 7, outputTokens: 0 }],
    [
      '{"usage":{"input_tokens":9,"output_tokens":4,"input_tokens_details":{"cached_tokens":3}}}',
      { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3 },
    ],
    ['{"meta":{"billed_units":{"input_tokens":5}}}', { inputTokens: 5, outputTokens: 0 }],
  ])('reads the token usage of %s', (text, usage) => {
    expect(read('application/json', text)).toEqual(usage);
  });

  it('reads a stream’s usage from the last event with usage', () => {
    const events =
      'event: response.created\ndata: {"response":{"usage":null}}\n\n' +
      'data: {"response":{"usage":{"input_tokens":11,"output_tokens":2}}}\n\ndata: [DONE]\n\n';
    expect(read('text/event-stream; charset=utf-8', events)).toEqual({ inputTokens: 11, outputTokens: 2 });
  });

  it.each([5_000, 65_536])(
    'reads the usage at the end of a response that exceeds its buffer, in pieces of %i bytes',
    (cut) => {
      const vectors = `{"data":[{"embedding":"${'A'.repeat(3_000_000)}"}],"model":"m",`;
      const usage = '"usage": {"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 2}}}\n';
      expect(read('application/json', vectors + usage, cut)).toEqual({
        ...{ inputTokens: 7, outputTokens: 0, cachedInputTokens: 2 },
      });
    },
  );

  it.each([
    ['application/json', '{"usage":{"prompt_tokens":"many"}}'],
    ['application/json', '{"usage":'],
    ['audio/mpeg', '{"usage":{"prompt_tokens":7}}'],
    ['application/json', `{"usage":{"prompt_tokens":7},"data":"${'a'.repeat(1_100_000)}"}`],
  ])('returns nothing for %s if the usage cannot be read within the size limit', (type, text) => {
    expect(read(type, text, 65_536)).toBeUndefined();
  });

  const long = 'a'.repeat(1_100_000);
  it.each([
    ['no event', '', false, false],
    ['another event', 'data: {"type":"response.output_text.delta","delta":"a"}\n\n', false, false],
    ['the last event', 'data: {"type":"response.completed"}\n', true, true],
    ['the last event without its line break', 'data: {"type":"response.completed"}', false, true],
    ['a long line', `data: {"delta":"${long}"}\n\n`, false, true],
    ['a long line without its line break', `data: {"delta":"${long}"}`, false, true],
    ['a long last event', `data: {"type":"response.completed","text":"${long}"}\n`, true, true],
  ])('knows after %s whether a stream of the Responses API has ended', (_, text, hasEnded, mayHaveEnded) => {
    for (const cut of [60_000, 2_000_000]) {
      const reader = new UsageReader('text/event-stream', true);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += cut) reader.push(bytes.subarray(at, at + cut));
      expect(reader).toMatchObject({ hasEnded, mayHaveEnded });
    }
  });
});
