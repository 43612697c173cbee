import { diffFields } from './diff-fields.ts';

describe('the field changes in an audit event', () => {
  it('contain each changed field with its old and new value, and no unchanged field', () => {
    const before = { name: 'a', rate_limit_rpm: 600, pruning: { mode: 'on', recovery: true }, list: ['x'] };
    const after = { name: 'a', rate_limit_rpm: 60, pruning: { mode: 'off', recovery: true }, list: null };
    expect(diffFields(before, after)).toEqual({
      rate_limit_rpm: { from: 600, to: 60 },
      'pruning.mode': { from: 'on', to: 'off' },
      list: { from: ['x'], to: null },
    });
    expect(diffFields(before, before)).toEqual({});
  });

  it('stay small, even if the changed values are very long', () => {
    const names = Array.from({ length: 4_096 }, (_, at) => `tool_${at}_${'x'.repeat(200)}`);
    const changes = diffFields(
      { allowed_tools: null, name: 'a' },
      { allowed_tools: names, name: 'b'.repeat(5_000) },
    );
    expect(changes).toEqual({
      allowed_tools: { from: null, to: { items: 4_096 } },
      name: { from: 'a', to: { characters: 5_000 } },
    });
  });
});
