import type { Json } from './arbitraries.ts';

const chunk = (choices: Json[], rest: { [key: string]: Json } = {}): Json => ({
  id: 'a',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...rest,
});

/**
 * Each format's events in a sample stream. A sample stream has thinking, text and a tool call, including
 * their end events.
 */
export const streams: Record<string, Json[]> = {
  'chat-completions': [
    chunk([{ index: 0, delta: { role: 'assistant', reasoning_content: 'Hm.' } }]),
    chunk([{ index: 0, delta: { content: 'So.' }, logprobs: { content: [] } }]),
    chunk([
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'weather', arguments: '{' } }] },
      },
    ]),
    chunk([{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '}' } }] } }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    chunk([], {
      usage: { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } },
    }),
    '[DONE]',
  ],
  messages: [
    {
      type: 'message_start',
      message: {
        id: 'a',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 3, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'So.' } },
    {
      type: 'content_block_delta',
      index: 1,
      delta: {
        type: 'citations_delta',
        citation: {
          type: 'char_location',
          cited_text: 'd',
          document_index: 0,
          start_char_index: 0,
          end_char_index: 1,
        },
      },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 2 },
    },
    { type: 'message_stop' },
  ],
  converse: [
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig' } } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'So.' } } },
    { contentBlockStop: { contentBlockIndex: 1 } },
    { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'c1', name: 'weather' } } } },
    { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{}' } } } },
    { contentBlockStop: { contentBlockIndex: 2 } },
    { messageStop: { stopReason: 'tool_use' } },
    { metadata: { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 }, metrics: { latencyMs: 1 } } },
  ],
  gemini: [
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, index: 0 }],
      responseId: 'a',
    },
    { candidates: [{ content: { role: 'model', parts: [{ text: 'So.' }] }, index: 0 }] },
    {
      candidates: [
        {
          content: { parts: [{ functionCall: { name: 'weather', args: {} }, thoughtSignature: 'c2ln' }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    },
  ],
  cohere: [
    { type: 'message-start', id: 'a', delta: { message: { role: 'assistant', content: [] } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'Hm.' } } },
    { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
    { type: 'content-delta', index: 0, delta: { message: { content: { text: 'So.' } } } },
    {
      type: 'citation-start',
      index: 0,
      delta: { message: { citations: { start: 0, end: 1, text: 'S', sources: [] } } },
    },
    { type: 'content-end', index: 0 },
    {
      type: 'tool-call-start',
      index: 0,
      delta: {
        message: { tool_calls: { id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } } },
      },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{}' } } } },
    },
    { type: 'tool-call-end', index: 0 },
    {
      type: 'message-end',
      delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 3, output_tokens: 2 } } },
    },
  ],
};
