import { scanJson } from '../json/scan-json.ts';
import { formatNamed } from '../formats.ts';

const { client, provider } = formatNamed('converse');
const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const parse = (body: unknown, stream = true) =>
  client.parseRequest(scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 }), {
    model: claude,
    stream,
  });

describe('a request of this format', () => {
  it.each([true, false])(
    'usage is requested in the stream if and only if the client requests a stream: %s',
    (stream) => {
      expect(parse({ messages: [] }, stream)).toMatchObject({ stream, streamsUsage: stream });
    },
  );

  it('a Converse request is parsed into the interchange', () => {
    const { messages, tools, settings, stream } = parse({
      system: [{ text: 's' }, { cachePoint: { type: 'default' } }],
      messages: [
        {
          role: 'user',
          content: [
            { document: { format: 'txt', name: 'd', source: { text: 'né' } } },
            { image: { format: 'jpeg', source: { bytes: '/9j/' } } },
            { guardContent: { text: { text: 'g', qualifiers: ['query'] } } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 't', signature: 's' } } },
            { reasoningContent: { redactedContent: Buffer.from('Eu8ECkgI').toString('base64') } },
            { toolUse: { toolUseId: '1', name: 'f', input: { a: 1 } } },
          ],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: '1', content: [{ json: { b: 2 } }], status: 'success' } }],
        },
      ],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'f', inputSchema: { json: { c: 3 } } } },
          { cachePoint: { type: 'default' } },
        ],
      },
      additionalModelRequestFields: { reasoning_config: { type: 'enabled', budget_tokens: 9 }, top_k: 4 },
    });
    expect(stream).toBe(true);
    expect(settings).toEqual({ thinking: { enabled: true, budgetTokens: 9 }, topK: 4 });
    expect(tools).toMatchObject([{ kind: 'function', name: 'f', parameters: { c: 3 }, cacheMarker: {} }]);
    expect(messages).toMatchObject([
      { role: 'system', parts: [{ text: 's', cacheMarker: {} }] },
      {
        role: 'user',
        parts: [
          {
            type: 'document',
            name: 'd',
            source: { mediaType: 'text/plain', data: Buffer.from('né').toString('base64') },
          },
          { type: 'image', source: { mediaType: 'image/jpeg' } },
          { type: 'text', text: 'g' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 't', signature: 's' },
          { type: 'thinking', text: '', redacted: 'Eu8ECkgI' },
          { type: 'tool-call', argumentsText: '{"a":1}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: '1', isError: false, parts: [{ type: 'text', text: '{"b":2}' }] },
        ],
      },
    ]);
  });

  it('a Converse request is the same after parsing and rendering', () => {
    const body = {
      messages: [
        {
          role: 'user',
          content: [
            { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k' } } } },
            { cachePoint: { type: 'default', ttl: '1h' } },
            { text: 'a' },
          ],
        },
        {
          role: 'user',
          content: [
            {
              document: {
                format: 'md',
                name: 'n',
                context: 'c',
                citations: { enabled: true },
                source: { content: [{ text: 'x' }, { text: 'y' }] },
              },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            {
              citationsContent: {
                content: [{ text: 'p' }, { text: 'q' }],
                citations: [
                  { title: 't', location: { documentPage: { documentIndex: 0, start: 1, end: 2 } } },
                ],
              },
            },
            { toolUse: { toolUseId: 's', name: 'w', input: {}, type: 'server_tool_use' } },
            { toolUse: { toolUseId: 't', name: 'f', input: {}, type: 'tool_use' } },
          ],
        },
        { role: 'system', content: [{ text: 'mid' }] },
      ],
      system: [{ cachePoint: { type: 'default' } }, { text: 's' }],
      inferenceConfig: { maxTokens: 1, future: true },
      additionalModelRequestFields: { inferenceConfig: { topK: 2 }, other: { x: 1 } },
      toolConfig: {
        tools: [
          { systemTool: { name: 'nova_grounding' } },
          { toolSpec: { name: 'f', description: '', strict: true, inputSchema: { json: {} }, future: 1 } },
        ],
        toolChoice: { future: {} },
      },
      guardrailConfig: { guardrailIdentifier: 'g' },
      promptVariables: { v: { text: 'x' } },
      requestMetadata: { k: 'v' },
      performanceConfig: { latency: 'optimized' },
      serviceTier: { type: 'flex' },
      outputConfig: { effort: 'high', future: 1 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    };
    const { body: again, losses } = provider.renderRequest(parse(body), { model: claude });
    const [grounding, tool] = body.toolConfig.tools;
    const toolSpec: Record<string, unknown> = { ...tool?.toolSpec };
    // The Converse API rejects an empty description.
    delete toolSpec.description;
    const expected = { ...body, toolConfig: { ...body.toolConfig, tools: [grounding, { toolSpec }] } };
    expect(JSON.parse(JSON.stringify(again))).toEqual(expected);
    expect(losses).toEqual([]);
  });
});
