import { findProvider } from '@gateway/providers';
import type { SkippedFallback } from '../../exchange/attempt.ts';
import type { Target } from '../../../request/request.ts';
import { chooseFallbacks, keepAccount } from './choose.ts';

const lane = { kind: 'same-format', format: 'chat-completions' } as const;
function find(id: string): Target {
  const [name = '', model = ''] = id.split('/');
  const provider = findProvider(name);
  if (provider === undefined) throw new Error(`no ${name}`);
  return { provider, model, lane, ownCredential: null };
}

function choose(fallbacks: readonly string[], blind: readonly string[] = []) {
  const skipped: SkippedFallback[] = [];
  const lackOf = ({ model }: Target) => (blind.includes(model) ? ('no_images' as const) : undefined);
  const target = chooseFallbacks(find('openai/a'), fallbacks, {
    ...{ find, lackOf },
    skip: (each) => skipped.push(each),
  });
  const names = () => target.alternatives?.().map(({ provider, model }) => `${provider.name}/${model}`);
  return { target, names, skipped };
}

it('the requests in a message thread (stored by Anthropic) use one provider account, and no fallbacks', () => {
  const bound = { ...find('anthropic/a'), affinity: 'the key of the new messages only' };
  const [one, other] = [
    keepAccount(choose(['groq/b']).target, 'thread'),
    keepAccount(bound, 'previous_response_id'),
  ];
  expect(one.affinity).toBeDefined();
  expect(other.affinity).toBe(one.affinity);
  expect(one.alternatives?.()).toEqual([]);
});

describe('the fallbacks for a named model', () => {
  it('are used in order, without unknown models and the named model itself', () => {
    expect(choose(['groq/b', 'nobody/x', 'openai/a', 'mistral/c']).names()).toEqual(['groq/b', 'mistral/c']);
    expect(choose([]).target.alternatives).toBeUndefined();
  });

  it('are skipped if they lack a needed feature, and each skipped fallback is recorded once', () => {
    const { names, skipped } = choose(['groq/b', 'mistral/c', 'xai/d'], ['b', 'd']);
    // Fallbacks are looked up only when the request needs one.
    expect(skipped).toEqual([]);
    expect(names()).toEqual(['mistral/c']);
    expect(names()).toEqual(['mistral/c']);
    expect(skipped).toEqual([
      { id: 'groq/b', rule: 'no_images' },
      { id: 'xai/d', rule: 'no_images' },
    ]);
  });
});
