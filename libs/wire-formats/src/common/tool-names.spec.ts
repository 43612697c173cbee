import type { ChatRequest, ChatTool, StreamEvent } from '@gateway/interchange';
import type { ProviderHalf } from './format.ts';
import { nameTools, restoreToolNames } from './tool-names.ts';

const pattern = /^[A-Za-z_][\w-]{0,63}$/;
const long = `mcp__${'context'.repeat(12)}__`;

function ask(names: readonly string[], rest: Partial<ChatRequest> = {}): ChatRequest {
  const tools = names.map((name): ChatTool => ({ kind: 'function', name, parameters: { name } }));
  const settings = {
    toolChoice: { mode: 'auto' },
    settings: {},
    stream: false,
    streamsUsage: false,
  } as const;
  return { model: 'm', messages: [], tools, ...settings, ...rest };
}

const sentNames = ({ tools }: ChatRequest) =>
  tools.map((tool) => (tool.kind === 'built-in' ? '' : tool.name));
const call = (name: string) =>
  ({ type: 'tool-call', id: 'c', name, kind: 'function', argumentsText: '{}' }) as const;

describe('tool names', () => {
  it('leaves the request unchanged when the provider accepts all names', () => {
    const request = ask(['get-it', 'x'.repeat(64)], {
      messages: [{ role: 'assistant', parts: [call('get-it')] }],
    });
    const named = nameTools(request, pattern);
    expect(named.request).toBe(request);
    expect(named.meant).toBeNull();
  });

  it('replaces each rejected name with a distinct valid name that stays the same in every turn', () => {
    const names = [`${long}read`, `${long}write`, 'a.b', 'a_b', 'a b', '1st', '', 'ü', 'f'];
    const { request, meant } = nameTools(ask(names), pattern);
    const sent = sentNames(request);
    expect(new Set(sent).size).toBe(names.length);
    for (const name of sent) expect(name).toMatch(pattern);
    expect(sent.map((name) => meant?.get(name) ?? name)).toEqual(names);
    expect(sent[0]).toContain('mcp__context');
    expect([sent[3], sent[8]]).toEqual(['a_b', 'f']);
    expect(sentNames(nameTools(ask([...names, 'another.one']), pattern).request).slice(0, -1)).toEqual(sent);
  });

  it('renames a tool everywhere in the request', () => {
    const [read, write] = [`${long}read`, `${long}write`];
    const messages = [
      { role: 'assistant', parts: [{ type: 'text', text: read }, call(read), call('f')] },
    ] as const;
    const chosen = nameTools(
      ask([read], { messages, toolChoice: { mode: 'tool', name: read } }),
      pattern,
    ).request;
    const [name] = sentNames(chosen);
    expect(chosen.toolChoice).toEqual({ mode: 'tool', name });
    expect(chosen.messages[0]?.parts).toEqual([
      { type: 'text', text: read },
      { ...call(read), name },
      call('f'),
    ]);
    const allowed = { mode: 'allowed', names: [write, 'f'], required: true } as const;
    const bound = nameTools(ask([read, write], { toolChoice: allowed }), pattern).request;
    expect(bound.toolChoice).toEqual({ ...allowed, names: [sentNames(bound)[1], 'f'] });
  });

  it('gives clients of other formats names without namespaces, and copies no event without a name', () => {
    const named = (name: string): StreamEvent => ({
      ...{ type: 'tool-call-start', choice: 0, block: 0, id: 'c', kind: 'function', namespace: 'crm', name },
    });
    const delta: StreamEvent = { type: 'tool-call-delta', choice: 0, block: 0, argumentsText: '{}' };
    const restoreFrom = (events: StreamEvent[], meant: ReadonlyMap<string, string> | null) => {
      const provider = { parseResponse: () => events } as unknown as ProviderHalf;
      return restoreToolNames(provider, () => meant).parseResponse(new Uint8Array());
    };
    expect(restoreFrom([named('crm.find'), delta], null)).toEqual([named('find'), delta]);
    const meant = new Map([['find', 'find.all']]);
    expect(restoreFrom([named('crm.find')], meant)).toEqual([named('find.all')]);
    const deltas = [delta];
    expect(restoreFrom(deltas, meant)).toBe(deltas);
  });

  it('restores the client’s tool names in calls, streamed and non-streaming', () => {
    const { request, meant } = nameTools(ask([`${long}read`]), pattern);
    const [name = ''] = sentNames(request);
    const start = (calledName: string): StreamEvent => ({
      ...{ type: 'tool-call-start', choice: 0, block: 0, id: 'c', kind: 'function', name: calledName },
    });
    const events = [start(name), start('made-up')];
    const provider = {
      parseResponse: () => [...events],
      openStreamParser: () => ({ push: () => [...events], end: () => [...events] }),
    } as unknown as ProviderHalf;
    const restored = restoreToolNames(provider, () => meant);
    const stream = restored.openStreamParser();
    const expected = [start(`${long}read`), start('made-up')];
    for (const events of [
      restored.parseResponse(Buffer.alloc(0)),
      stream.push(Buffer.alloc(0)),
      stream.end(),
    ])
      expect(events).toEqual(expected);
    expect(restoreToolNames(provider, () => null).parseResponse(Buffer.alloc(0))).toEqual(events);
  });
});
