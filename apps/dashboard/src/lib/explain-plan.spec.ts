import { describeBucket, describeK, explainDecision, policyOf } from './explain-plan.ts';

it('never claims that K was applied if all tools were sent', () => {
  expect(explainDecision({ k: 9, k_reason: 'calibrated' })).toBe(
    'K = 9. K was measured on shadow conversations of this account.',
  );
  for (const k_reason of ['calibrated', 'prior', 'override', 'frozen'])
    expect(explainDecision({ k: null, k_reason })).toMatch(/sending all tools|all tools were sent/);
  expect(explainDecision({ k: null, k_reason: 'recall_off' })).toMatch(
    /^Pruning is off.*All tools were sent/,
  );
});

it('shows the plan’s K as not applied for a shadow conversation', () => {
  expect(describeK({ k: 9, k_reason: 'shadow' })).toBe('all tools sent (shadow, K = 9)');
  expect(explainDecision({ k: 9, k_reason: 'shadow' })).toMatch(
    /^In this shadow conversation,.*The plan’s K = 9\.$/,
  );
  expect(describeK({ k: 9, k_reason: 'frozen' })).toBe('K = 9');
  expect(describeK({ k: null, k_reason: 'recall_off' })).toBe('all tools sent');
  expect(describeK({ k: null, k_reason: null })).toBe('no tools');
});

it('reads the names of buckets and policy versions', () => {
  expect(describeBucket('*:51-100')).toBe('all intents, 51-100 tools');
  expect(policyOf('semantic.3/p2/c7')).toBe('c7');
  expect([policyOf('semantic.3/p2'), policyOf(null)]).toEqual([null, null]);
});
