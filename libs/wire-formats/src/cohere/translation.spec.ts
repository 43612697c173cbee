import type { ChatMessage, ChatRequest } from '@gateway/interchange';
import { providerFormatNamed } from '../formats.ts';

const render = (changes: Partial<ChatRequest>) =>
  providerFormatNamed('cohere').provider.renderRequest(
    {
      model: 'm',
      messages: [],
      tools: [],
      toolChoice: { mode: 'unset' },
      settings: {},
      stream: false,
      streamsUsage: false,
      ...changes,
    },
    { model: 'command-a' },
  );
const fieldsOf = ({ losses }: { losses: readonly { field: string }[] }) => losses.map(({ field }) => field);
const text = (words: string) => ({ type: 'text', text: words }) as const;
const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', argumentsText: '' } as const;
const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } } as const;
const f = { kind: 'function', name: 'f', parameters: { type: 'object' } } as const;
const g = { kind: 'function', name: 'g' } as const;

describe('a conversation from another format', () => {
  it('renders each tool result in a separate message, followed by the images of the result', () => {
    const messages: ChatMessage[] = [
      { role: 'system', parts: [text('s')] },
      { role: 'assistant', parts: [{ type: 'thinking', text: 'why' }, text('let me see'), call] },
      {
        role: 'user',
        parts: [{ type: 'tool-result', callId: 'c', parts: [text('1'), image] }, text('go on')],
      },
    ];
    const { body, losses } = render({ messages });
    expect(body.messages).toEqual([
      { role: 'system', content: 's' },
      {
        role: 'assistant',
        content: 'let me see',
        tool_plan: 'why',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '1' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      { role: 'user', content: 'go on' },
    ]);
    expect(losses).toEqual([]);
  });

  it("moves text documents to the request's documents, and reports losses for other documents", () => {
    const data = Buffer.from('words').toString('base64');
    const rendered = render({
      messages: [
        {
          role: 'user',
          parts: [
            text('read'),
            { type: 'document', source: { kind: 'base64', mediaType: 'text/plain', data }, name: 'a.txt' },
            { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data } },
            { type: 'audio', source: { kind: 'base64', mediaType: 'audio/wav', data } },
            { type: 'image', source: { kind: 'file', id: 'file-1' } },
          ],
        },
      ],
    });
    expect(rendered.body).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'read' }] }],
      documents: [{ id: 'document_1', data: { title: 'a.txt', text: 'words' } }],
    });
    expect(fieldsOf(rendered)).toEqual([
      'messages[0].parts[2]',
      'messages[0].parts[3]',
      'messages[0].parts[4]',
    ]);
  });
});

describe('tools from another format', () => {
  it.each([
    [{ mode: 'auto' }, undefined, ['f', 'g']],
    [{ mode: 'none' }, 'NONE', ['f', 'g']],
    [{ mode: 'required' }, 'REQUIRED', ['f', 'g']],
    [{ mode: 'tool', name: 'g' }, 'REQUIRED', ['g']],
    [{ mode: 'allowed', names: ['f'] }, undefined, ['f']],
    [{ mode: 'allowed', names: ['f'], required: true }, 'REQUIRED', ['f']],
  ] as const)(
    'tools from another format follow the client’s tool choice: %j',
    (toolChoice, choice, names) => {
      const { body, losses } = render({ tools: [f, g], toolChoice });
      expect(body.tool_choice).toBe(choice);
      expect((body.tools as { function: { name: string } }[]).map((tool) => tool.function.name)).toEqual(
        names,
      );
      expect(losses).toEqual([]);
    },
  );

  it('tools from another format are all strict or all non-strict', () => {
    expect(render({ tools: [{ ...f, strict: true }] }).body).toMatchObject({ strict_tools: true });
    const mixed = render({ tools: [{ ...f, strict: true }, g] });
    expect(mixed.body).not.toHaveProperty('strict_tools');
    expect(fieldsOf(mixed)).toEqual(['tools.strict']);
  });
});

describe('settings from another format', () => {
  it('settings from another format are renamed to the fields of the Cohere format', () => {
    const { body } = render({
      stream: true,
      settings: {
        maxOutputTokens: 1,
        topP: 0.5,
        topK: 3,
        stopSequences: ['a'],
        thinking: { enabled: true, budgetTokens: 9 },
        responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object' } },
      },
    });
    expect(body).toEqual({
      model: 'command-a',
      messages: [],
      stream: true,
      max_tokens: 1,
      p: 0.5,
      k: 3,
      stop_sequences: ['a'],
      thinking: { type: 'enabled', token_budget: 9 },
      response_format: { type: 'json_object', json_schema: { type: 'object' } },
    });
  });

  it('settings are reported as losses if the Cohere format does not support them', () => {
    const settings = { answers: 2, parallelToolCalls: false, endUser: 'u', reasoningEffort: 'high' };
    expect(fieldsOf(render({ settings })).sort()).toEqual([
      'n',
      'parallel_tool_calls',
      'reasoning_effort',
      'user',
    ]);
    expect(fieldsOf(render({ settings: { answers: 1, reasoningEffort: 'none' } }))).toEqual([]);
  });
});
