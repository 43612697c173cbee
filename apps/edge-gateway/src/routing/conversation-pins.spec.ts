import { ConversationPins, type PinnedModel } from './conversation-pins.ts';

const account = '0198b5c0-0000-7000-8000-000000000001';
const pin = (id: string, at: number): PinnedModel => ({ id, level: 'low', inputTokens: 100, turns: 1, at });

function openReplicas() {
  const stored = new Map<string, string>();
  let isAway = false;
  const answer = <Value>(value: () => Value): Promise<Value> =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(value());
  const redis = {
    get: (key: string) => answer(() => stored.get(key) ?? null),
    set: (_accountId: string, key: string, value: string) => answer(() => stored.set(key, value)),
  };
  const log = { debug: () => undefined };
  const goAway = (): void => void (isAway = true);
  return {
    first: new ConversationPins(redis, log),
    second: new ConversationPins(redis, log),
    stored,
    goAway,
  };
}

describe('the model that is remembered for a conversation', () => {
  it('is the model that served the last turn, in any gateway process', async () => {
    const { first, second } = openReplicas();
    first.keep(account, 's', pin('openai/small', 1));
    expect(await second.find(account, 's')).toMatchObject({ id: 'openai/small' });
    second.keep(account, 's', pin('openai/large', 2));
    expect(await first.find(account, 's')).toMatchObject({ id: 'openai/large' });
    expect(await second.find(account, 's')).toMatchObject({ id: 'openai/large' });
  });

  it('is the locally remembered model if Redis is unavailable or stores an invalid or older model', async () => {
    const { first, second, stored, goAway } = openReplicas();
    first.keep(account, 's', pin('openai/small', 1));
    stored.set(`model-pin:v2:{${account}}:s`, 'no pin');
    expect(await first.find(account, 's')).toMatchObject({ id: 'openai/small' });
    expect(await second.find(account, 's')).toBeUndefined();
    goAway();
    first.keep(account, 's', pin('openai/large', 2));
    expect(await first.find(account, 's')).toMatchObject({ id: 'openai/large' });
    expect(await second.find(account, 's')).toBeUndefined();
  });
});
