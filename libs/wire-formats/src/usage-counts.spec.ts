import { foldAnswer, type ProviderFormat, type TokenUsage } from '@gateway/interchange';
import { providerFormatNamed } from './formats.ts';

/** A non-streaming response in each format, with the given input, output and cached token counts. */
const answers: readonly (readonly [
  ProviderFormat,
  (input: string, output: string, cached: string) => string,
])[] = [
  [
    'chat-completions',
    (input, output, cached) =>
      `{"choices":[],"usage":{"prompt_tokens":${input},"completion_tokens":${output},"prompt_tokens_details":{"cached_tokens":${cached}}}}`,
  ],
  [
    'messages',
    (input, output, cached) =>
      `{"content":[],"usage":{"input_tokens":${input},"output_tokens":${output},"cache_read_input_tokens":${cached}}}`,
  ],
  [
    'converse',
    (input, output, cached) =>
      `{"output":{"message":{"content":[]}},"usage":{"inputTokens":${input},"outputTokens":${output},"cacheReadInputTokens":${cached}}}`,
  ],
  [
    'responses',
    (input, output, cached) =>
      `{"output":[],"usage":{"input_tokens":${input},"output_tokens":${output},"input_tokens_details":{"cached_tokens":${cached}}}}`,
  ],
  [
    'gemini',
    (input, output, cached) =>
      `{"candidates":[],"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${output},"cachedContentTokenCount":${cached}}}`,
  ],
  [
    'cohere',
    (input, output, cached) =>
      `{"message":{},"usage":{"tokens":{"input_tokens":${input},"output_tokens":${output}},"cached_tokens":${cached}}}`,
  ],
];

describe.each(answers)('token counts from %s', (format, renderAnswer) => {
  const usageOf = (...counts: Parameters<typeof renderAnswer>): TokenUsage | undefined =>
    foldAnswer(providerFormatNamed(format).provider.parseResponse(Buffer.from(renderAnswer(...counts))))
      .usage;

  it.each([
    ['7', '5.4', '-1'],
    ['7', '5', '1e400'],
    ['6.6', '5', '1e18'],
  ])('are non-negative integers or absent: %s, %s, %s', (input, output, cached) => {
    expect(usageOf(input, output, cached)).toMatchObject({ inputTokens: 7, outputTokens: 5 });
    expect(usageOf(input, output, cached)).not.toHaveProperty('cachedInputTokens');
  });

  it.each(['-1', '1e400', '"7"', 'null'])('exclude a count of %s and keep the other counts', (count) => {
    for (const usage of [usageOf('7', count, '0'), usageOf(count, '5', '0')]) {
      for (const count of Object.values(usage ?? {}))
        expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }
  });
});
