import type { MessageOutline, MessageRole } from '@gateway/interchange';
import { scanJson } from '@gateway/wire-formats';
import { Conversation, deriveKey } from './conversation.ts';
import { readAgentSessionId, readBodySessionId } from './session-id.ts';

interface Said {
  readonly role: MessageRole;
  readonly text?: string;
  readonly calls?: readonly string[];
  readonly answers?: readonly string[];
  readonly marked?: boolean;
}

/** Builds a request body by concatenating texts. */
function outlineOf(said: readonly Said[]): { messages: MessageOutline[]; body: Buffer } {
  const body = said.map(({ text = '' }) => text).join('');
  let at = 0;
  return {
    body: Buffer.from(body),
    messages: said.map(({ role, text = '', calls = [], answers = [], marked = false }, index) => ({
      index,
      role,
      range: { start: 0, end: 0 },
      cacheControl: marked,
      toolCalls: calls.map((id) => ({ id, name: 'search' })),
      toolResultIds: answers,
      ...textFrom(at, (at += text.length), body),
    })),
  };
}

function textFrom(start: number, end: number, body: string): Pick<MessageOutline, 'text' | 'textRanges'> {
  return { text: () => body.slice(start, end), textRanges: () => [{ start, end }] };
}

const name = (said: readonly Said[], owner = 'account', session: string | null = null) => {
  const { messages, body } = outlineOf(said);
  const { here, before, key } = new Conversation({ messages }, body, session);
  return {
    here: deriveKey(owner, here),
    before: before && deriveKey(owner, before),
    key: deriveKey(owner, key),
  };
};
const opening: Said[] = [{ role: 'user', text: 'find it' }];
const call: Said = { role: 'assistant', calls: ['c1'] };
const result: Said = { role: 'tool', answers: ['c1'], text: 'found' };

describe('the identity of a conversation', () => {
  it('lists the answered user turns, newest first, without the first turn and without tool results', () => {
    const answer: Said = { role: 'assistant', text: 'done' };
    const turn = (text: string, answers: readonly string[] = []): Said => ({ role: 'user', text, answers });
    const second = [...opening, call, turn('a reminder next to the result', ['c1']), answer, turn('more')];
    const third = [...second, answer, turn('even more')];
    const { messages, body } = outlineOf([...third, answer, turn('and now?')]);
    const hereOf = (said: readonly Said[]) => {
      const { messages: some, body: bytes } = outlineOf(said);
      return new Conversation({ messages: some }, bytes, null).here;
    };
    expect(new Conversation({ messages }, body, null).answeredTurns).toEqual([hereOf(third), hereOf(second)]);
  });

  it('finds the previous request of the conversation by the digest of its messages', () => {
    const first = name(opening);
    const second = name([...opening, call, result]);
    expect(first.before).toBeNull();
    expect(second.before).toBe(first.here);
    expect(
      name([...opening, call, result, { role: 'assistant', text: 'a' }, { role: 'assistant', text: 'b' }])
        .before,
    ).toBe(second.here);
  });

  it('has the same key in all requests of the conversation, and the session id takes precedence', () => {
    expect(name([...opening, call, result]).key).toBe(name(opening).key);
    expect(name(opening, 'account', 's-1').key).toBe(
      name([{ role: 'user', text: 'else' }], 'account', 's-1').key,
    );
  });

  it('has the same digest of the first turn in every later request, regardless of other digests computed before', () => {
    const more: Said[] = [{ role: 'assistant', text: 'a' }, ...opening];
    const firstTurns = [[call], [call, result], [call, result, ...more]].map((rest) => {
      const { messages, body } = outlineOf([...opening, ...rest]);
      const conversation = new Conversation({ messages }, body, null);
      expect(conversation.here).not.toBe(conversation.opening);
      return conversation.firstTurn;
    });
    expect(new Set(firstTurns).size).toBe(1);
    const { messages, body } = outlineOf(opening);
    expect(new Conversation({ messages }, body, null).firstTurn).toBeNull();
    const { messages: others, body: text } = outlineOf([...opening, { ...call, calls: ['c2'] }]);
    expect(firstTurns).not.toContain(new Conversation({ messages: others }, text, null).firstTurn);
  });

  it('does not depend on cache markers or shortened tool results', () => {
    const marked = [{ ...opening[0]!, marked: true }, call, { ...result, text: 'cut', marked: true }];
    expect(name(marked)).toEqual(name([...opening, call, result]));
  });

  it('does not depend on instructions, and the key of an agent does', () => {
    const withInstructions = (text: string) => {
      const said: Said[] = [{ role: 'system', text }, ...opening, call, result];
      const { messages, body } = outlineOf(said);
      return { names: name(said), agentKey: new Conversation({ messages }, body, null).agentKey };
    };
    const [today, later] = [
      withInstructions('On branch main, Monday.'),
      withInstructions('On branch b, Friday.'),
    ];
    expect(later.names).toEqual(today.names);
    expect(today.names).toEqual(name([...opening, call, result]));
    expect(later.agentKey).not.toBe(today.agentKey);
    const later2: Said[] = [...opening, call, result, { role: 'system', text: 'A new rule.' }];
    expect(name(later2).here).not.toBe(name([...opening, call, result]).here);
  });

  it('differs by account, tool list, text and tool calls', () => {
    const { here } = name([...opening, call, result]);
    expect(name([...opening, call, result], 'another').here).not.toBe(here);
    expect(name([{ role: 'user', text: 'find that' }, call, result]).here).not.toBe(here);
    expect(name([...opening, { ...call, calls: ['c2'] }, result]).here).not.toBe(here);
  });
});

describe('the session id of an agent', () => {
  it.each([
    ['opencode and kilo', { 'x-session-id': 'ses_1' }, 'ses_1'],
    ['codex', { 'session-id': 'ses_2' }, 'ses_2'],
    ['pi', { session_id: 'ses_3' }, 'ses_3'],
    ['Claude Code', { 'x-claude-code-session-id': 'ses_4' }, 'ses_4'],
    ['an agent without an id', { 'x-session-id': '' }, null],
  ])('is read from the header of %s', (_agent, headers, id) => {
    expect(readAgentSessionId(headers)).toBe(id);
  });

  it('is truncated to 256 characters', () => {
    expect(readAgentSessionId({ 'session-id': 'x'.repeat(1_000) })).toBe('x'.repeat(256));
  });

  it.each([
    ['{"prompt_cache_key":"thread-1"}', 'thread-1'],
    ['{"prompt_cache_key":7}', null],
    ['{"prompt_cache_key":""}', null],
    ['{"metadata":{"prompt_cache_key":"x"}}', null],
  ])('is read from the body %s', (body, id) => {
    expect(readBodySessionId(scanJson(Buffer.from(body), { depthMax: 8 }))).toBe(id);
  });
});
