import type { Exchange } from '../../exchange/exchange.ts';
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

  it('is accepted in a request that continues a stored response', async () => {
    await expect(parse('responses', { input, previous_response_id: 'resp_1' })).resolves.toBeDefined();
  });

  it('is refused in any other request', async () => {
    await expect(parse('responses', { input })).rejects.toMatchObject({ code: 'unbalanced_tool_calls' });
  });
});
