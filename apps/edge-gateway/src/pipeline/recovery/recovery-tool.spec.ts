import { parseRecoveryToolCall, renderRecoveryToolCall, renderRecoveryTool } from './recovery-tool.ts';

const offer = { names: ['b', 'a'], taken: new Set(['a', 'b']), recalls: false };

describe('the recovery tool', () => {
  it('lists the tool names in the client’s order, and is identical for identical names', () => {
    const recoveryTool = renderRecoveryTool(offer);
    expect(recoveryTool.description).toContain('b, a');
    expect(JSON.stringify(renderRecoveryTool({ ...offer, taken: new Set(['b', 'a']) }))).toBe(
      JSON.stringify(recoveryTool),
    );
  });

  it('never has the same name as a client tool', () => {
    expect(
      renderRecoveryTool({ ...offer, taken: new Set(['svc_more_tools', 'svc_more_tools_2']) }).name,
    ).toBe('svc_more_tools_3');
  });

  it('stays within OpenAI’s limit on the length of descriptions, and still lists every tool name', () => {
    const names = Array.from({ length: 500 }, (_, index) => `tool_number_${index}`);
    const recoveryTool = renderRecoveryTool({ ...offer, names });
    expect(recoveryTool.description?.length).toBeLessThanOrEqual(1024);
    for (const name of names) expect(JSON.stringify(recoveryTool)).toContain(name);
  });

  it('offers compressed content, pruned tools, or both', () => {
    const actions = (given: Partial<typeof offer>) =>
      JSON.stringify(renderRecoveryTool({ ...offer, ...given })).match(/"enum":(\[[^\]]*\])/)?.[1];
    expect(actions({})).toBe('["describe","call"]');
    expect(actions({ recalls: true })).toBe('["describe","call","original"]');
    expect(actions({ names: [], recalls: true })).toBe('["original"]');
  });
});

describe('a call to the recovery tool', () => {
  it.each([
    ['{"action":"describe","names":["a"]}', { action: 'describe', names: ['a'], need: null }],
    ['{"action":"describe","names":"a"}', { action: 'describe', names: ['a'], need: null }],
    ['{"need":"send mail"}', { action: 'describe', names: [], need: 'send mail' }],
    [
      '{"action":"call","name":"a","arguments":{"x":1}}',
      { action: 'call', name: 'a', argumentsText: '{"x":1}' },
    ],
    ['{"name":"a","arguments":"{\\"x\\":1}"}', { action: 'call', name: 'a', argumentsText: '{"x":1}' }],
    ['{"action":"call","name":"a"}', { action: 'call', name: 'a', argumentsText: '{}' }],
    ['{"action":"original","id":"0123456789ab"}', { action: 'original', id: '0123456789ab' }],
    ['{"action":"describe"}', { action: 'unclear' }],
    ['{"action":"fly"}', { action: 'unclear' }],
    ['{"action":"describe","names":[', { action: 'unclear' }],
    ['[]', { action: 'unclear' }],
  ])('%s', (text, expected) => {
    expect(parseRecoveryToolCall(text)).toEqual(expected);
  });

  it('is parsed and rendered without changes, including large numbers', () => {
    const argumentsText = '{"id":12345678901234567890,"text":"é\\u0000"}';
    const call = parseRecoveryToolCall(renderRecoveryToolCall('a b"c', argumentsText));
    expect(call).toEqual({
      action: 'call',
      name: 'a b"c',
      argumentsText: '{"id":12345678901234567890,"text":"é\\u0000"}',
    });
  });
});
