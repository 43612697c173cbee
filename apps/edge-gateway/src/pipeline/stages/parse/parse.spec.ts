import type { Exchange } from '../../exchange/exchange.ts';
import { requireBalancedToolCalls } from '../../../request/request-facts.ts';
import { parseBytes } from './parse.ts';

function parse(format: Exchange['format'], body: object) {
  const exchange = { format, ledger: {}, turn: null, sessionId: null } as unknown as Exchange;
  return parseBytes(Buffer.from(JSON.stringify({ model: 'm', ...body })), exchange);
}

describe('a tool choice', () => {
  const tools = Array.from({ length: 4097 }, (_, at) => ({ type: 'function', name: `f${at}` }));

  it.each([
    ['responses', { input: 'x', tool_choice: { type: 'allowed_tools', mode: 'auto', tools } }],
    [
      'chat-completions',
      {
        messages: [{ role: 'user', content: 'x' }],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { tools: tools.map(({ name }) => ({ type: 'function', function: { name } })) },
        },
      },
    ],
  ] as const)('of %s with more than 4,096 names is refused', async (format, body) => {
    await expect(parse(format, body)).rejects.toMatchObject({ code: 'too_many_tools', param: 'tool_choice' });
  });
});

describe('a tool result without its call', () => {
  const input = [{ type: 'function_call_output', call_id: 'c', output: 'done' }];
  const messages = [{ role: 'tool', tool_call_id: 'c', content: 'done' }];

  it('is refused in chat-completions', async () => {
    await expect(parse('chat-completions', { messages })).rejects.toMatchObject({
      ...{ code: 'unbalanced_tool_calls', param: 'messages[0]' },
    });
  });

  it('is refused in a Responses request only if the request is translated', async () => {
    const { outline } = await parse('responses', { input });
    expect(() => requireBalancedToolCalls(outline)).toThrow(
      expect.objectContaining({ code: 'unbalanced_tool_calls', param: 'input' }) as Error,
    );
  });
});
