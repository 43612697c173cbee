import type { Json } from './arbitraries.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['a', 'b'] } },
  required: ['city'],
};
const image = 'data:image/png;base64,iVBORw0KGgo=';

/** For each format, a request that uses most of the format's features. */
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
