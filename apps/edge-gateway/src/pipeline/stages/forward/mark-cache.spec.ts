import type { ChatMessage, ChatPart, ChatRequest, ChatTool } from '@gateway/interchange';
import { loadCatalog } from '@gateway/model-catalog';
import { providerFormatNamed } from '@gateway/wire-formats';
import { markCache, type MarkedTarget } from './mark-cache.ts';

const catalog = loadCatalog();
const long = 'word '.repeat(4_000);
const text = (words: string): ChatPart => ({ type: 'text', text: words });
const say = (role: ChatMessage['role'], ...parts: ChatPart[]): ChatMessage => ({ role, parts });
const result = (callId: string): ChatPart => ({ type: 'tool-result', callId, parts: [text('found')] });
const tool: ChatTool = { kind: 'function', name: 'find', description: long, parameters: { type: 'object' } };
const conversation = [
  say('system', text('Be brief.'), text('Be kind.')),
  say('user', text('Find it.')),
  say('assistant', text('I look.'), {
    ...{ type: 'tool-call', id: 'c1', name: 'find', kind: 'function', argumentsText: '{}' },
  }),
  say('tool', result('c1')),
];

function mark(
  change: Partial<ChatRequest> = {},
  target: Partial<MarkedTarget> & { format?: 'converse' } = {},
) {
  const request: ChatRequest = {
    ...{ model: 'm', messages: conversation, tools: [tool], toolChoice: { mode: 'auto' }, settings: {} },
    ...{ stream: false, streamsUsage: false, ...change },
  };
  const model = target.model ?? 'claude-opus-5-5';
  const provider = target.format === undefined ? 'anthropic' : 'hosted';
  const { cacheMarkers } = providerFormatNamed(target.format ?? 'messages').provider;
  return markCache(request, {
    ...{ model, facts: catalog.find(provider, model), rules: cacheMarkers!, tokens: 6_000 },
    ...target,
  });
}

/** Lists the positions of the cache markers in the order of the prompt. */
function placesOf({ tools, messages }: ChatRequest): string[] {
  return [
    ...tools.flatMap(({ cacheMarker }, at) => (cacheMarker === undefined ? [] : [`tools[${at}]`])),
    ...messages.flatMap(({ parts }, at) =>
      parts.flatMap(({ cacheMarker }, part) => (cacheMarker === undefined ? [] : [`${at}.${part}`])),
    ),
  ];
}

it('adds cache markers to tools, instructions, the end of the previous request, and the end of the request', () => {
  const { request, markers } = mark();
  expect(placesOf(request)).toEqual(['tools[0]', '0.1', '1.0', '3.0']);
  expect(markers).toBe(4);
  expect(mark({}, { rules: { markersMax: 2, marksTools: () => true } }).markers).toBe(2);
});

it('adds cache markers to the first request of a conversation with tools', () => {
  expect(placesOf(mark({ messages: conversation.slice(0, 2) }).request)).toEqual(['tools[0]', '0.1', '1.0']);
});

it('adds no cache markers to a single turn without tools', () => {
  const first = mark({ messages: conversation.slice(0, 2), tools: [] });
  expect([first.markers, placesOf(first.request)]).toEqual([0, []]);
  expect(mark({ tools: [] }).markers).toBe(2);
});

it('adds no cache markers to prefixes that are too short to be cached', () => {
  expect(mark({}, { tokens: 511 }).markers).toBe(0);
  const short = mark({ tools: [{ ...tool, description: 'Finds.' }] }, { tokens: 512 });
  expect(placesOf(short.request)).toEqual(['1.0', '3.0']);
  expect(mark({}, { model: 'claude-haiku-4-5-20251001', tokens: 4_095 }).markers).toBe(0);
  expect(mark({}, { model: 'claude-haiku-4-5-20251001', tokens: 4_096 }).markers).toBe(4);
});

it('does not change a request with cache markers from its client', () => {
  const cacheMarker = { ttl: '1h' };
  const marked = say('user', { ...text('Find it.'), cacheMarker });
  expect(mark({ messages: [marked, ...conversation.slice(2)] }).markers).toBe(0);
  expect(mark({ tools: [{ ...tool, cacheMarker }] }).markers).toBe(0);
  const inside = { ...result('c1'), parts: [{ ...text('found'), cacheMarker }] } as ChatPart;
  expect(mark({ messages: [...conversation.slice(0, 3), say('tool', inside)] }).markers).toBe(0);
});

it('adds no cache marker to blank text or to a tool that the model may not call', () => {
  const messages = [say('user', text('Find it.'), text(' '))];
  const tools: ChatTool[] = [tool, { ...tool, name: 'other' }];
  const { request } = mark({ messages, tools, toolChoice: { mode: 'allowed', names: ['find'] } });
  expect(placesOf(request)).toEqual(['tools[0]', '0.0']);
});

it('adds markers only for models that cache marked prefixes, and only if one cache read saves more than a cache write costs', () => {
  expect(mark({}, { facts: undefined }).markers).toBe(0);
  expect(mark({}, { facts: catalog.find('openai', 'gpt-4o-mini') }).markers).toBe(0);
  const facts = catalog.find('anthropic', 'claude-opus-5-5')!;
  const dear = { ...facts, cache: { ...facts.cache!, writeMultiplier: 1.95 } };
  expect(mark({}, { facts: dear }).markers).toBe(0);
});

it('adds cache markers to tools in the converse format only for Claude models', () => {
  const nova = mark({}, { format: 'converse', model: 'amazon.nova-pro-v1:0' });
  expect(placesOf(nova.request)).toEqual(['0.1', '1.0', '3.0']);
  const claude = mark({}, { format: 'converse', model: 'eu.anthropic.claude-opus-5-5' });
  expect(placesOf(claude.request)).toEqual(['tools[0]', '0.1', '1.0', '3.0']);
});
