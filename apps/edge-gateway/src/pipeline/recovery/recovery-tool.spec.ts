import { parseRecoveryToolCall, renderRecoveryToolCall, renderRecoveryTool } from './recovery-tool.ts';

const offer = { names: ['b', 'a'], taken: new Set(['a', 'b']), recalls: false };

describe('the stand-in', () => {
  it('lists the names in the order of the client, and is the same for the same names', () => {
    const recoveryTool = renderRecoveryTool(offer);
    expect(recoveryTool.description).toContain('b, a');
    expect(JSON.stringify(renderRecoveryTool({ ...offer, taken: new Set(['b', 'a']) }))).toBe(
      JSON.stringify(recoveryTool),
    );
  });

  it('never has the name of a tool of the client', () => {
    expect(
      renderRecoveryTool({ ...offer, taken: new Set(['svc_more_tools', 'svc_more_tools_2']) }).name,
    ).toBe('svc_more_tools_3');
  });

  it('keeps its description within what OpenAI takes, however many the names, and still tells them all', () => {
    const names = Array.from({ length: 500 }, (_, index) => `tool_number_${index}`);
    const recoveryTool = renderRecoveryTool({ ...offer, names });
    expect(recoveryTool.description?.length).toBeLessThanOrEqual(1024);
    for (const name of names) expect(JSON.stringify(recoveryTool)).toContain(name);
  });

  it('offers what it can: originals alone, tools alone, or both', () => {
    const actions = (given: Partial<typeof offer>) =>
      JSON.stringify(renderRecoveryTool({ ...offer, ...given })).match(/"enum":(\[[^\]]*\])/)?.[1];
    expect(actions({})).toBe('["describe","call"]');
    expect(actions({ recalls: true })).toBe('["describe","call","original"]');
    expect(actions({ names: [], recalls: true })).toBe('["original"]');
  });
});

describe('what a model asks of it', () => {
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

  it('is said again as it was, big numbers included', () => {
    const argumentsText = '{"id":12345678901234567890,"text":"é\\u0000"}';
    const call = parseRecoveryToolCall(renderRecoveryToolCall('a b"c', argumentsText));
    expect(call).toEqual({
      action: 'call',
      name: 'a b"c',
      argumentsText: '{"id":12345678901234567890,"text":"é\\u0000"}',
    });
  });
});
