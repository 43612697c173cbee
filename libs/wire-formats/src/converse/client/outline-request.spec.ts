import type { ConverseRequest, ConverseStreamRequest } from '@aws-sdk/client-bedrock-runtime';
import { scanJson } from '../../json/scan-json.ts';
import { converse } from '../converse.ts';
import { requestFields } from './outline-request.ts';

const { client } = converse;
const scan = (body: unknown) => scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
const outline = (body: unknown, model = 'm', stream = false) =>
  client.outlineRequest(scan(body), { model, stream });

/** The type check fails if the list of fields differs from the fields in the AWS SDK. */
type FieldOf = (typeof requestFields)[number];
const covers: [FieldOf, keyof ConverseRequest] extends [keyof ConverseRequest, FieldOf] ? true : false = true;
const coversStream: [FieldOf, keyof ConverseStreamRequest] extends [keyof ConverseStreamRequest, FieldOf]
  ? true
  : false = true;

describe('the outline of a Converse request', () => {
  it('accepts exactly the fields of the API', () => {
    expect([covers, coversStream]).toEqual([true, true]);
    expect(() => outline(Object.fromEntries(requestFields.map((name) => [name, null])))).not.toThrow();
  });

  it.each([
    'cloud_access_key_id',
    'cloud_bearer_token_hosted',
    'stream',
    'max_tokens',
    '__proto__',
    'x-svc-examples',
  ])('rejects the unknown field %s by name', (name) => {
    expect(() =>
      client.outlineRequest(scanJson(Buffer.from(`{"messages":[],"${name}":1}`), { depthMax: 64 }), {
        model: 'm',
        stream: false,
      }),
    ).toThrow(expect.objectContaining({ code: 'unknown_field', param: name }) as Error);
  });

  it('reads the model and the streaming flag from the URL', () => {
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-v1:0';
    expect(outline({ messages: [] }, arn, true)).toMatchObject({
      format: 'converse',
      model: arn,
      stream: true,
    });
    expect(() => outline({ messages: [] }, '')).toThrow(
      expect.objectContaining({ code: 'missing_field' }) as Error,
    );
    expect(() => outline({ messages: [] }, 'm'.repeat(513))).toThrow(
      expect.objectContaining({ code: 'invalid_field', param: 'modelId' }) as Error,
    );
  });

  it.each([
    ['messages', { messages: {} }],
    ['system', { system: 'text' }],
    ['toolConfig', { toolConfig: [] }],
    ['toolConfig.tools', { toolConfig: { tools: {} } }],
    ['toolConfig.tools[0]', { toolConfig: { tools: ['a'] } }],
    ['toolConfig.toolChoice', { toolConfig: { toolChoice: 'auto' } }],
    ['inferenceConfig', { inferenceConfig: 1 }],
  ])('rejects %s with the wrong type', (param, body) => {
    expect(() => outline(body)).toThrow(expect.objectContaining({ code: 'invalid_field', param }) as Error);
  });

  it('finds calls, results, cache points and text', () => {
    const { messages, system, maxOutputTokens } = outline({
      system: [{ text: 'be' }, { text: 'kind' }, { cachePoint: { type: 'default' } }],
      inferenceConfig: { maxTokens: 7 },
      messages: [
        { role: 'user', content: [{ text: 'a' }, { guardContent: { text: { text: 'b' } } }] },
        {
          role: 'assistant',
          content: [
            { toolUse: { toolUseId: '1', name: 'f', input: {} } },
            { toolUse: { toolUseId: '2', name: 'web', input: {}, type: 'server_tool_use' } },
            { toolResult: { toolUseId: '2', content: [], type: 'web_result' } },
          ],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: '1', content: [{ text: 'x' }] } }, { cachePoint: {} }],
        },
      ],
    });
    expect(system).toMatchObject({ role: 'system', cacheControl: true });
    expect(system!.text()).toBe('be\nkind');
    expect(maxOutputTokens).toBe(7);
    expect(messages[0]!.text()).toBe('a\nb');
    expect(
      messages.map(({ role, toolCalls, toolResultIds, cacheControl }) => [
        role,
        toolCalls,
        toolResultIds,
        cacheControl,
      ]),
    ).toEqual([
      ['user', [], [], false],
      ['assistant', [{ id: '1', name: 'f' }], [], false],
      ['user', [], ['1'], true],
    ]);
  });

  it('finds the positions of tools, and the tool choice', () => {
    const toolSpec = {
      name: 'f',
      description: 'does',
      inputSchema: { json: { a: 1 } },
      'x-svc-examples': ['e', 1],
    };
    const tools = [
      { toolSpec },
      { cachePoint: { type: 'default' } },
      { systemTool: { name: 'nova_grounding' } },
      { toolSpec: { name: 'g' } },
    ];
    const tape = scan({ toolConfig: { tools, toolChoice: { tool: { name: 'g' } } } });
    const found = client.outlineRequest(tape, { model: 'm', stream: false });
    expect(found.toolChoice).toEqual({ mode: 'tool', name: 'g' });
    expect(
      found.tools.map(({ index, name, builtIn, cacheControl }) => [index, name, builtIn, cacheControl]),
    ).toEqual([
      [0, 'f', false, true],
      [1, undefined, true, true],
      [2, 'nova_grounding', true, false],
      [3, 'g', false, false],
    ]);
    expect(client.toolDefinitions(tape, found.tools).map(({ name }) => name)).toEqual([
      'f',
      null,
      'nova_grounding',
      'g',
    ]);
    expect(client.toolDefinitions(tape, found.tools)[0]).toEqual({
      name: 'f',
      description: 'does',
      parameters: { a: 1 },
      examples: ['e'],
    });
    const mode = (toolChoice: unknown) => outline({ toolConfig: { toolChoice } }).toolChoice.mode;
    expect([mode({ any: {} }), mode({ auto: {} }), mode(null), mode({ other: {} })]).toEqual([
      'required',
      'auto',
      'unset',
      'auto',
    ]);
  });
});
