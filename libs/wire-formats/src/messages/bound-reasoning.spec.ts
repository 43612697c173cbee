import { dropBoundReasoning } from './bound-reasoning.ts';

const beta = 'thinking-binding-controls-2026-08-01';
const block_binding = { prefix_mismatch_behavior: 'drop_block' };

function drop(format: 'messages' | 'converse' | 'chat-completions', body: object, space?: number) {
  const dropped = dropBoundReasoning(format, Buffer.from(JSON.stringify(body, null, space)));
  return dropped && { body: JSON.parse(Buffer.from(dropped.body).toString()) as unknown, beta: dropped.beta };
}

describe('a request that sets the provider to drop reasoning bound to another prefix', () => {
  it.each([undefined, 1])('sets the behavior in the messages format', (space) => {
    const rest = { model: 'm', messages: [] };
    const enabled = { type: 'enabled', budget_tokens: 1024 };
    expect(drop('messages', rest, space)).toEqual({
      body: { ...rest, thinking: { type: 'adaptive', block_binding } },
      beta,
    });
    expect(drop('messages', { thinking: enabled, ...rest }, space)).toEqual({
      body: { ...rest, thinking: { ...enabled, block_binding } },
      beta,
    });
  });

  it('sets the behavior in the additional fields of the converse format, and adds its beta', () => {
    const rest = { messages: [] };
    const thinking = { type: 'adaptive', block_binding };
    const fields = (more: object) => ({ ...rest, additionalModelRequestFields: more });
    const expected = { body: fields({ thinking, anthropic_beta: [beta] }), beta: undefined };
    expect(drop('converse', rest)).toEqual(expected);
    expect(drop('converse', fields({}))).toEqual(expected);
    expect(drop('converse', fields({ thinking: { type: 'adaptive' } }))).toEqual(expected);
    expect(drop('converse', fields({ top_k: 5 }))).toEqual({
      body: fields({ top_k: 5, thinking, anthropic_beta: [beta] }),
      beta: undefined,
    });
    expect(drop('converse', fields({ anthropic_beta: ['other'] }))).toEqual({
      body: fields({ anthropic_beta: ['other', beta], thinking }),
      beta: undefined,
    });
  });

  it('is not created if the client set the behavior, or if the type of reasoning does not accept the setting', () => {
    const own = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } };
    for (const thinking of [own, { type: 'between_tools' }, { type: 'disabled' }]) {
      expect(drop('messages', { thinking })).toBeNull();
      expect(drop('converse', { additionalModelRequestFields: { thinking } })).toBeNull();
    }
    expect(drop('converse', { additionalModelRequestFields: { anthropic_beta: 'odd' } })).toBeNull();
    expect(drop('chat-completions', { messages: [] })).toBeNull();
  });
});
