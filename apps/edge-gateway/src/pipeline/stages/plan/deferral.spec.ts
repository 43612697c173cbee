import type { RequestOutline } from '@gateway/interchange';
import { createCatalog, loadCatalog } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import type { Caller, Lane, ParsedRequest, Target } from '../../../request/request.ts';
import { Conversation } from '../../../request/conversation.ts';
import { identityPlan } from '../../exchange/tool-plan.ts';
import { chooseBoundMode, chooseDeferral, loadCalledTools } from './deferral.ts';

const record = (provider: string, format: string, nativeSelection?: string) => ({
  provider,
  modelId: nativeSelection === undefined ? 'old' : 'new',
  formats: [format],
  contextWindow: null,
  maxOutputTokens: null,
  prices: null,
  capabilities: {
    tools: true,
    images: null,
    documents: null,
    jsonMode: null,
    streaming: true,
    thinking: null,
  },
  cache: null,
  releasedAt: null,
  sources: ['s'],
  ...(nativeSelection === undefined ? {} : { nativeSelection }),
});
const catalog = createCatalog({
  sources: { s: { title: 's', licence: 'MIT', takenOn: '2026-11' } },
  models: [
    record('anthropic', 'messages', 'deferred_loading'),
    record('anthropic', 'messages'),
    record('openai', 'chat-completions', 'allowed_tools'),
  ],
});
const both = ['deferred_loading', 'allowed_tools'] as const;

function parsed(format: 'messages' | 'chat-completions' | 'responses', body: object): ParsedRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: [], ...body }));
  const tape = scanJson(bytes, { depthMax: 128 });
  const outline: RequestOutline = formatNamed(format).client.outlineRequest(tape);
  const conversation = new Conversation(outline, bytes, null);
  return { bytes, tape, outline, conversation, ownCredential: null };
}

const targetOf = (provider: string, model: string, kind: Lane['kind'] = 'same-format'): Target =>
  ({ provider: { name: provider }, model, lane: { kind, format: 'messages' } }) as unknown as Target;
const callerWith = (native: readonly string[]): Caller => ({ pruning: { native } }) as unknown as Caller;
const messagesTool = (name: string, more: object = {}) => ({ name, input_schema: {}, ...more });
const chatTool = (name: string) => ({ type: 'function', function: { name } });

describe('chooseDeferral', () => {
  const choose = (request: ParsedRequest, target: Target, native: readonly string[] = both, headers = {}) =>
    chooseDeferral(request, target, callerWith(native), catalog, headers)?.mode;
  const deferring = parsed('messages', { tools: [messagesTool('a')] });
  const restricting = parsed('chat-completions', { tools: [chatTool('a')] });

  it('requires support from the account, the model and the format', () => {
    expect(choose(deferring, targetOf('anthropic', 'new'))).toBe('deferred');
    expect(choose(restricting, targetOf('openai', 'new'))).toBe('allowed');
    expect(choose(deferring, targetOf('anthropic', 'new'), [])).toBeUndefined();
    expect(choose(deferring, targetOf('anthropic', 'new'), ['allowed_tools'])).toBeUndefined();
    expect(choose(deferring, targetOf('anthropic', 'old'))).toBeUndefined();
    expect(choose(deferring, targetOf('anthropic', 'unknown'))).toBeUndefined();
    expect(choose(restricting, targetOf('anthropic', 'new', 'translated'))).toBeUndefined();
  });

  it.each([
    ['its own search', { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }],
    ['its own deferral', messagesTool('b', { defer_loading: true })],
    ['a tool of the search’s name', messagesTool('tool_search_tool_bm25')],
  ])('is not chosen for a client that sends %s', (_what, tool) => {
    const request = parsed('messages', { tools: [messagesTool('a'), tool] });
    expect(choose(request, targetOf('anthropic', 'new'))).toBeUndefined();
  });

  it('requires a client that can read a tool search by the provider', () => {
    const chosenFor = (agent: string) =>
      choose(deferring, targetOf('anthropic', 'new'), both, { 'user-agent': agent });
    expect(chosenFor('node-fetch')).toBeUndefined();
    expect(chosenFor('node-fetch/1.0 (+https://github.com/bitinn/node-fetch)')).toBeUndefined();
    expect(chosenFor('Anthropic/JS 1.12.0')).toBe('deferred');
  });

  it('also defers tools with examples', () => {
    const tools = [messagesTool('a'), messagesTool('b', { input_examples: [{}] })];
    expect(choose(parsed('messages', { tools }), targetOf('anthropic', 'new'))).toBe('deferred');
  });

  it('also defers tools with a parameter `namespace`, as in the tools of Kubernetes', () => {
    const input_schema = { type: 'object', properties: { namespace: { type: 'string' } } };
    const tools = [messagesTool('a'), messagesTool('b', { input_schema })];
    expect(choose(parsed('messages', { tools }), targetOf('anthropic', 'new'))).toBe('deferred');
  });

  it.each([
    [{ type: 'function', function: { name: 'a' } }, undefined],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [chatTool('a')] } }, undefined],
    ['none', undefined],
    ['required', 'allowed'],
    ['auto', 'allowed'],
  ])('with the client’s tool choice %j returns %s', (tool_choice, way) => {
    const request = parsed('chat-completions', { tools: [chatTool('a')], tool_choice });
    expect(choose(request, targetOf('openai', 'new'))).toBe(way);
  });
});

describe('a deferred tool that the transcript calls', () => {
  const tools = ['a', 'b', 'c'].map((name) => messagesTool(name));
  const calls = (...names: string[]) =>
    names.map((name, at) => ({ type: 'tool_use', id: `t${at}`, name, input: {} }));
  const found = {
    type: 'tool_search_tool_result',
    tool_use_id: 's',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'b' }],
    },
  };
  const deferral = { mode: 'deferred', appliesAt: () => true } as const;
  const planned = { ...identityPlan([0, 1, 2], null), forwarded: [0], deferral };

  it('stays deferred while the transcript contains its search result', () => {
    const request = parsed('messages', {
      tools,
      messages: [{ role: 'assistant', content: [found, ...calls('b')] }],
    });
    expect(loadCalledTools(planned, request).forwarded).toEqual([0]);
  });

  it('is loaded if the client kept the call without the search result', () => {
    const request = parsed('messages', {
      tools,
      messages: [{ role: 'assistant', content: [found, ...calls('b', 'c')] }],
    });
    expect(loadCalledTools(planned, request).forwarded).toEqual([0, 2]);
    expect(loadCalledTools({ ...planned, deferral: undefined }, request).forwarded).toEqual([0]);
  });
});

describe('the mode of a conversation with bound reasoning', () => {
  const shipped = loadCatalog();
  const tools = [{ type: 'function', name: 'a' }];
  const at = (provider: string, model: string, format: string): Target =>
    ({ provider: { name: provider }, model, lane: { kind: 'same-format', format } }) as unknown as Target;
  const modeOf = (body: object, model = 'gpt-6.2-astra') =>
    chooseBoundMode(
      parsed('responses', { input: 'Go.', ...body }),
      at('openai', model, 'responses'),
      shipped,
      {},
    );

  it('is deferral for a model that drops reasoning, because deferral changes no prefix', () => {
    expect(modeOf({ tools })).toBe('deferred');
    const translated = {
      ...at('openai', 'gpt-6.2-astra', 'responses'),
      lane: { kind: 'translated' },
    } as Target;
    expect(chooseBoundMode(parsed('responses', { input: 'Go.', tools }), translated, shipped, {})).toBeNull();
    expect(modeOf({ tools }, 'gpt-9')).toBeNull();
  });

  it.each([
    ['a tool search', [...tools, { type: 'tool_search', execution: 'client' }]],
    ['namespaces', [...tools, { type: 'namespace', name: 'n', tools }]],
    ['deferred functions', [...tools, { type: 'function', name: 'b', defer_loading: true }]],
  ])('leaves the tools of a client that uses %s unchanged', (_, own) => {
    expect(modeOf({ tools: own })).toBe('whole');
  });

  describe('for Continue, which cannot read a tool search', () => {
    const target = at('anthropic', 'claude-opus-5-5', 'messages');
    const modeIn = (messages: object[], userAgent: string) =>
      chooseBoundMode(parsed('messages', { tools: [messagesTool('a')], messages }), target, shipped, {
        'user-agent': userAgent,
      });
    const user = { role: 'user', content: 'Go.' };

    it('is every tool in a new conversation', () => {
      expect(modeIn([user], 'node-fetch')).toBe('whole');
      expect(modeIn([user], 'ai-sdk/anthropic/9.0.0')).toBe('deferred');
    });

    it('stays deferral in a conversation that an earlier release started', () => {
      const answer = { role: 'assistant', content: 'Done.' };
      expect(modeIn([user, answer, user], 'node-fetch')).toBe('deferred');
    });
  });
});
