import { describeActor, describeChanges } from './describe-event.ts';

it('the changes of an event contain each field with its value before and after the change', () => {
  const changes = {
    rate_limit_rpm: { from: 600, to: 60 },
    name: { from: null, to: 'Agent' },
    denied_tools: { from: ['erase'], to: { items: 4096 } },
  };
  expect(describeChanges({ changes })).toBe(
    'rate_limit_rpm: 600 → 60, name: none → Agent, denied_tools: ["erase"] → {"items":4096}',
  );
  expect(describeChanges({ changes: null })).toBe('');
});

it('the actor of an event is a name, or an id if the name no longer exists', () => {
  const id = '0198b5c0-0000-7000-8000-000000000001';
  expect(describeActor({ actor: { type: 'api_key', id, name: 'Agent' } })).toBe('Agent');
  expect(describeActor({ actor: { type: 'person', id, name: null } })).toBe(id);
  expect(describeActor({ actor: { type: 'operator', id: null, name: null } })).toBe('Operator');
});
