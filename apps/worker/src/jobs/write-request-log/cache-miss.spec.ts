import type { PromptHashes, RequestPrompt } from '@gateway/contracts';
import { findCacheMiss, type PromptRecord } from './cache-miss.ts';

const start = Date.parse('2026-11-23T12:00:00Z');
const first: PromptHashes = {
  ...{ tools: 'tools', toolSet: 'set', system: 'system', opening: 'one' },
  ...{ before: [], here: 'one' },
};
const second: PromptHashes = { ...first, before: ['one'], here: 'two' };

function record(
  turn: number,
  prompt: Partial<RequestPrompt>,
  change: Partial<PromptRecord> = {},
): PromptRecord {
  return {
    ...{
      id: `r${turn}`,
      atMs: start + turn * 10_000,
      provider: 'anthropic',
      model: 'm',
      requestedModel: 'm',
    },
    prompt: {
      ...{ conversation: 'c', client: first, sent: null, caching: 'explicit', ttlSeconds: 300 },
      ...{ inputTokens: 10_000, cachedTokens: 0, writtenTokens: 10_000, diagnosis: null },
      ...{ usdPerMtok: { input: 4, read: 0.2, write: 5 }, ...prompt },
    },
    ...change,
  };
}

const before = record(1, {});
const missed = { client: second, inputTokens: 10_500, writtenTokens: 10_500 };
const missOf = (prompt: Partial<RequestPrompt>, change?: Partial<PromptRecord>, earlier = [before]) =>
  findCacheMiss(record(2, { ...missed, ...prompt }, change), earlier);
const named = (...given: Parameters<typeof missOf>) => {
  const miss = missOf(...given);
  return miss && [miss.cause, miss.detail];
};

describe('the cause of a prompt cache miss', () => {
  it.each([
    ['a changed tool', { tools: 'x', toolSet: 'x' }, 'tools_changed'],
    ['the same tools in another order', { tools: 'x' }, 'tools_reordered'],
    ['other instructions', { system: 'x' }, 'system_changed'],
    ['an edited message', { before: ['x'] }, 'message_edited'],
    ['several changes: the first one in the prompt', { tools: 'x', system: 'x' }, 'tools_reordered'],
  ])('is the client’s change to the prompt: %s', (_name, change, detail) => {
    expect(named({ client: { ...second, ...change } })).toEqual(['client', detail]);
  });

  it('is a model change by the client or by the gateway', () => {
    expect(named({}, { requestedModel: 'n', model: 'n' })).toEqual(['client', 'model_changed']);
    expect(named({}, { model: 'n' })).toEqual(['gateway', 'model_changed']);
  });

  it('is the gateway’s change if only the prompt sent by the gateway differs', () => {
    const sent = { ...second, tools: 'pruned', toolSet: 'pruned' };
    expect(named({ sent })).toEqual(['gateway', 'tools_changed']);
    const edited = { ...second, before: ['compressed'] };
    expect(named({ sent: edited })).toEqual(['gateway', 'message_edited']);
    const same = { ...first, tools: 'pruned', toolSet: 'pruned' };
    expect(named({ sent }, {}, [record(1, { sent: same })])).toEqual(['provider', 'evicted']);
  });

  it('is the lifetime of the cache if the lifetime has expired and no token was read from the cache', () => {
    const late = { atMs: before.atMs + 301_000 };
    expect(named({}, late)).toEqual(['expired', 'idle']);
    expect(named({ client: { ...second, system: 'x' } }, late)).toEqual(['expired', 'idle']);
    const partly = { client: { ...second, before: ['x'] }, cachedTokens: 4_000, writtenTokens: 6_500 };
    expect(named(partly, late)).toEqual(['client', 'message_edited']);
    expect(named({}, late, [record(1, { ttlSeconds: 3_600 })])).toEqual(['provider', 'evicted']);
  });

  it('follows the provider’s own report, and attributes the change to the client or the gateway', () => {
    const diagnosis = { part: 'system', tokens: 9_000 } as const;
    expect(missOf({ diagnosis })).toMatchObject({
      cause: 'gateway',
      detail: 'system_changed',
      tokens: 9_000,
    });
    const client = { ...second, system: 'x', before: ['x'] };
    expect(named({ client, diagnosis })).toEqual(['client', 'system_changed']);
    expect(named({ client, diagnosis: { part: 'messages', tokens: null } })).toEqual([
      'client',
      'message_edited',
    ]);
  });
});

describe('missed tokens', () => {
  it('are the tokens that the earlier request left in the cache and that the later request did not read', () => {
    expect(missOf({})).toMatchObject({ tokens: 10_000, usd: (10_000 * 4.8) / 1e6 });
    expect(missOf({ cachedTokens: 4_000, writtenTokens: 6_500 })?.tokens).toBe(6_000);
    expect(missOf({ inputTokens: 3_000, writtenTokens: 3_000 })?.tokens).toBe(3_000);
    expect(missOf({}, {}, [record(1, { cachedTokens: 6_000, writtenTokens: 1_000 })])?.tokens).toBe(7_000);
  });

  it('are rounded down to blocks if the provider does not report writes', () => {
    const automatic = { caching: 'automatic', writtenTokens: 0 } as const;
    const miss = missOf(automatic, {}, [record(1, { ...automatic, inputTokens: 5_000 })]);
    expect(miss).toMatchObject({ tokens: 4_992, usd: (4_992 * 3.8) / 1e6 });
  });

  it('are zero if the later request read all but a small number of tokens', () => {
    expect(missOf({ cachedTokens: 10_000, writtenTokens: 500 })).toBeNull();
    expect(missOf({ cachedTokens: 9_850, writtenTokens: 650 })).toBeNull();
    expect(missOf({}, {}, [record(1, { writtenTokens: 0 })])).toBeNull();
  });

  it('have no price if the model has no price', () => {
    expect(missOf({ usdPerMtok: null })).toMatchObject({ tokens: 10_000, usd: null });
  });
});

describe('the request to compare with', () => {
  it('is the request that the later request continues, not another agent’s request in between', () => {
    const other = { ...first, tools: 'other', toolSet: 'other', opening: 'other', here: 'other' };
    const between = record(1.5, { client: other, writtenTokens: 50_000 });
    expect(missOf({}, {}, [between, before])?.tokens).toBe(10_000);
    expect(missOf({}, {}, [between])).toBeNull();
  });

  it('is never a later request or the same request', () => {
    expect(missOf({}, {}, [record(3, {}), record(2, {})])).toBeNull();
    expect(findCacheMiss(before, [])).toBeNull();
  });

  it('is the newest earlier request if requests in between are missing', () => {
    const client = { ...first, before: ['three', 'two', 'one'], here: 'four' };
    const earlier = [before, record(1.5, { client: second, writtenTokens: 12_000 })];
    expect(missOf({ client, inputTokens: 15_000 }, {}, earlier)).toMatchObject({
      cause: 'provider',
      tokens: 12_000,
    });
  });
});
