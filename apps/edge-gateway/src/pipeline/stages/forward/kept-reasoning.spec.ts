import type { ChatMessage, ChatRequest, StreamEvent } from '@gateway/interchange';
import { formatNamed } from '@gateway/wire-formats';
import { KeptReasoning, type ReasoningOwner } from './kept-reasoning.ts';

type Parts = ChatMessage['parts'];

const owner: ReasoningOwner = {
  ...{ accountId: '0198b5c0-0000-7000-8000-000000000001', sessionId: 's', credential: 'secret' },
  ...{ provider: 'openai', model: 'gpt-6.2-sol' },
};
const log = { debug: () => undefined } as never;

function openCache() {
  const stored = new Map<string, Buffer>();
  return {
    stored,
    mgetBuffer: (...keys: string[]) => Promise.resolve(keys.map((key) => stored.get(key) ?? null)),
    set: (_account: string, key: string, value: Buffer) => Promise.resolve(stored.set(key, value)),
  };
}

const user = (text: string): ChatMessage => ({ role: 'user', parts: [{ type: 'text', text }] });
const callPart = (id: string) =>
  ({ type: 'tool-call', id, name: 'search', kind: 'function', argumentsText: '{}' }) as const;
const assistant = (...parts: Parts): ChatMessage => ({ role: 'assistant', parts });
const result = (callId: string): ChatMessage => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text: 'found' }] }],
});
const tool = { kind: 'function', name: 'search', parameters: { type: 'object' } } as const;
const requestOf = (messages: readonly ChatMessage[], given: Partial<ChatRequest> = {}): ChatRequest => ({
  ...{ model: 'gpt-6.2-sol', messages, tools: [tool], toolChoice: { mode: 'unset' } },
  ...{ settings: {}, stream: false, streamsUsage: false, ...given },
});

const at = (block: number) => ({ choice: 0, block });
const think = (block: number, text: string, signature: string): StreamEvent[] => [
  { type: 'thinking-start', ...at(block) },
  { type: 'thinking-delta', ...at(block), text },
  { type: 'thinking-end', ...at(block), signature },
];
const say = (block: number, text: string): StreamEvent[] => [
  { type: 'text-start', ...at(block) },
  { type: 'text-delta', ...at(block), text },
  { type: 'text-end', ...at(block) },
];
const call = (block: number, id: string): StreamEvent[] => [
  { type: 'tool-call-start', ...at(block), id, name: 'search', kind: 'function' },
  { type: 'tool-call-end', ...at(block) },
];
const end: StreamEvent = { type: 'message-end' };

const opening = [user('Find it.')];
const events = [
  ...think(0, 'Why', 'sig-1'),
  ...say(1, 'Let me see.'),
  ...think(2, '', 'sig-2'),
  ...call(3, 'c1'),
  end,
];
const turn = assistant({ type: 'text', text: 'Let me see.' }, callPart('c1'));
const next = [...opening, turn, result('c1')];

/** Stores the reasoning of the first response, and returns the store. */
async function keepFirst(cache = openCache(), first: readonly StreamEvent[] = events) {
  const kept = new KeptReasoning(cache, log);
  const { recorder } = await kept.restore(requestOf(opening), owner);
  for (const event of first) recorder.note(event);
  return { kept, cache };
}

const signaturesIn = ({ messages }: ChatRequest): unknown[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'thinking' ? [part.signature] : [])),
  );

it('restores the phase of a message, because OpenAI drops the reasoning behind a message without its phase', async () => {
  const phased = events.map((event): StreamEvent =>
    event.type === 'text-start'
      ? { ...event, extensions: { responses: { item: { id: 'msg_1', phase: 'commentary' } } } }
      : event,
  );
  const { kept } = await keepFirst(openCache(), phased);
  const { request } = await kept.restore(requestOf(next), owner);
  const { body } = formatNamed('responses').provider.renderRequest(request, { model: 'gpt-6.2-sol' });
  const items = body['input'] as { role?: string; phase?: string }[];
  expect(items.find(({ role }) => role === 'assistant')).toMatchObject({
    ...{ content: 'Let me see.', phase: 'commentary' },
  });
  const without = await (await keepFirst()).kept.restore(requestOf(next), owner);
  expect(JSON.stringify(without.request)).not.toContain('phase');
});

describe('the encrypted reasoning of a response', () => {
  it('is in the next request, in front of the text and the call that it led to', async () => {
    const { kept } = await keepFirst();
    const { request } = await kept.restore(requestOf(next), owner);
    expect(request.messages[1]?.parts).toEqual([
      { type: 'thinking', text: 'Why', signature: 'sig-1' },
      { type: 'text', text: 'Let me see.' },
      { type: 'thinking', text: '', signature: 'sig-2' },
      callPart('c1'),
    ]);
    expect([request.messages[0], request.messages[2]]).toEqual([next[0], next[2]]);
  });

  it('is in every later request, although cache markers move and the client repeats visible reasoning', async () => {
    const { kept } = await keepFirst();
    const marked: ChatMessage = {
      role: 'user',
      parts: [
        {
          ...{ type: 'text', text: 'Find it.', cacheMarker: {} },
          extensions: { 'chat-completions': { cache_control: { type: 'ephemeral' } } },
        },
      ],
      extensions: { 'chat-completions': { content: 'list' } },
    };
    const visible = assistant({ type: 'thinking', text: 'Why' }, ...turn.parts);
    const { recorder } = await kept.restore(requestOf([marked, visible, result('c1')]), owner);
    for (const event of [...think(0, '', 'sig-3'), ...say(1, 'Done.'), end]) recorder.note(event);
    const later = [...next, assistant({ type: 'text', text: 'Done.' }), user('Thanks.')];
    const { request } = await kept.restore(requestOf(later), owner);
    expect(signaturesIn(request)).toEqual(['sig-1', 'sig-2', 'sig-3']);
  });

  it.each<[string, ChatRequest]>([
    ['an earlier message', requestOf([user('Find that.'), ...next.slice(1)])],
    ['the number of earlier messages', requestOf([user('Hi.'), ...next])],
    ['the tools', requestOf(next, { tools: [] })],
    ['the response format', requestOf(next, { settings: { responseFormat: { type: 'json' } } })],
    ['the end user', requestOf(next, { settings: { endUser: 'another' } })],
    ['the calls of the response', requestOf([...opening, assistant(callPart('c2')), result('c2')])],
    ['the text in front of the call', requestOf([...opening, assistant(callPart('c1')), result('c1')])],
  ])('is dropped after a change of %s', async (_what, changed) => {
    const { kept } = await keepFirst();
    const { request } = await kept.restore(changed, owner);
    expect(request).toEqual(changed);
  });

  it.each<[string, Partial<ReasoningOwner>]>([
    ['account', { accountId: '0198b5c0-0000-7000-8000-000000000002' }],
    ['session', { sessionId: 't' }],
    ['provider', { provider: 'azure' }],
    ['model', { model: 'gpt-6.2-astra' }],
    ['provider account', { credential: 'other' }],
  ])('is not added for another %s', async (_what, other) => {
    const { kept } = await keepFirst();
    const { request } = await kept.restore(requestOf(next), { ...owner, ...other });
    expect(signaturesIn(request)).toEqual([]);
  });

  it('is encrypted in the cache, under a name without the account’s text', async () => {
    const { cache } = await keepFirst();
    const [[key, value] = []] = cache.stored;
    expect(key).toMatch(/^reasoning:v1:\{0198b5c0-0000-7000-8000-000000000001\}:[\w-]{43}$/);
    expect(value?.includes('sig-1')).toBe(false);
  });

  it('is not stored if the response broke, is too long, or shows no item behind the reasoning', async () => {
    const long = think(0, '', 's'.repeat(256 * 1024 + 1));
    const hosted = { type: 'part', ...at(1), part: { type: 'opaque', extensions: {} } } as const;
    for (const given of [
      events.slice(0, -1),
      [...long, ...call(1, 'c1'), end],
      [...think(0, '', 'sig'), hosted, ...say(2, 'It is.'), end],
    ]) {
      const { cache } = await keepFirst(openCache(), given);
      expect(cache.stored.size).toBe(0);
    }
  });

  it('is dropped while Redis is unavailable or returns other data', async () => {
    const failing = {
      mgetBuffer: () => Promise.reject(new Error('down')),
      set: () => Promise.reject(new Error('down')),
      stored: new Map<string, Buffer>(),
    };
    const { kept } = await keepFirst(failing);
    expect((await kept.restore(requestOf(next), owner)).request).toEqual(requestOf(next));
    const { kept: other, cache } = await keepFirst();
    for (const key of cache.stored.keys())
      cache.stored.set(key, Buffer.from('no reasoning at all, but long'));
    expect((await other.restore(requestOf(next), owner)).request).toEqual(requestOf(next));
  });
});

it('a long conversation loads the reasoning of a bounded number of turns', async () => {
  let asked = 0;
  const cache = {
    ...openCache(),
    mgetBuffer: (...keys: string[]) => {
      expect(keys.length).toBeLessThanOrEqual(16);
      asked += keys.length;
      return Promise.resolve(keys.map(() => null));
    },
  };
  const kept = new KeptReasoning(cache, log);
  for (const [turns, loaded] of [
    [128, 128],
    [129, 65],
    [192, 128],
    [193, 65],
  ] as const) {
    asked = 0;
    const messages = Array.from({ length: turns }, (_, index) => [
      user(`${index}`),
      assistant({ type: 'text', text: 'Yes.' }),
    ]);
    await kept.restore(requestOf(messages.flat()), owner);
    expect({ turns, asked }).toEqual({ turns, asked: loaded });
  }
});

it('loads at most about 4 MiB of reasoning, of the latest turns', async () => {
  const { stored, ...cache } = openCache();
  let read = 0;
  const kept = new KeptReasoning(
    {
      ...cache,
      mgetBuffer: (...keys: string[]) => {
        read += keys.length;
        return cache.mgetBuffer(...keys);
      },
    },
    log,
  );
  const messages: ChatMessage[] = [];
  const signature = 's'.repeat(250 * 1024);
  for (let turns = 0; turns < 40; turns += 1) {
    messages.push(user(`${turns}`));
    const { recorder } = await kept.restore(requestOf(messages), owner);
    for (const event of [...think(0, '', `${turns}-${signature}`), ...say(1, 'Yes.'), end])
      recorder.note(event);
    messages.push(assistant({ type: 'text', text: 'Yes.' }));
  }
  expect(stored.size).toBe(40);
  read = 0;
  const { request } = await kept.restore(requestOf([...messages, user('And?')]), owner);
  const turns = signaturesIn(request).map((each) => Number.parseInt(String(each), 10));
  expect(turns).toEqual(Array.from({ length: turns.length }, (_, at) => 40 - turns.length + at));
  expect(turns.length).toBeLessThanOrEqual(32);
  expect(read).toBe(turns.length);
});
