import type { Json } from './arbitraries.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['a', 'b'] } },
  required: ['city'],
};
const image = 'data:image/png;base64,iVBORw0KGgo=';

/** A request of each format that says much of what the format can say. */
export const requests: Record<string, Json> = {
  'chat-completions': {
    model: 'p/m',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    n: 1,
    seed: 1,
    user: 'u',
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 's', schema, strict: true } },
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: schema } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: image, detail: 'low' } },
          { type: 'file', file: { filename: 'f.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '12' },
      { role: 'user', content: 'And?' },
    ],
  },
  messages: {
    model: 'p/m',
    max_tokens: 100,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    stop_sequences: ['END'],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'u' },
    tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    tools: [
      { name: 'weather', description: 'd', input_schema: schema },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'd' },
            citations: { enabled: true },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'So.' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: [{ type: 'text', text: '12' }] },
        ],
      },
    ],
  },
  converse: {
    system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
    inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    toolConfig: {
      tools: [{ toolSpec: { name: 'weather', description: 'd', inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: 'weather' } },
    },
    messages: [
      {
        role: 'user',
        content: [
          { text: 'Look.' },
          { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
          { document: { format: 'pdf', name: 'f', source: { bytes: 'JVBERg==' } } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
          { toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'a' } } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'c1', status: 'error', content: [{ text: '12' }, { json: { t: 1 } }] } },
        ],
      },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {
      maxOutputTokens: 100,
      temperature: 0.5,
      stopSequences: ['END'],
      responseMimeType: 'text/plain',
    },
    tools: [{ functionDeclarations: [{ name: 'weather', description: 'd', parameters: schema }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
      },
      {
        role: 'model',
        parts: [{ functionCall: { name: 'weather', args: { city: 'a' } }, thoughtSignature: 'c2ln' }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { t: 12 } } }] },
    ],
  },
  cohere: {
    model: 'p/m',
    stream: true,
    max_tokens: 100,
    tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: schema } }],
    documents: [{ id: 'd1', data: { text: 'd' } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: image } },
        ],
      },
      {
        role: 'assistant',
        tool_plan: 'Hm.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'document', document: { data: { t: '12' } } }] },
    ],
  },
};

const chunk = (choices: Json[], rest: { [key: string]: Json } = {}): Json => ({
  id: 'a',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...rest,
});

/** The events of a stream of each format: thinking, text and a call, with their end. */
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
